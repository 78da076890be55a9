/** The embedded engine and environments of one run: children on sockets in a private folder, no ports. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkpointStore } from "../../node/checkpointStore.ts";
import { makeSocketFolder } from "../../node/socketFolder.ts";
import { type ChildServer, startChild } from "./childProcess.ts";

export interface LocalService {
  /** Path of the socket or pipe on which it listens. */
  readonly socketPath: string;
  /** Aborted with an AppError once it has ended by itself. */
  readonly failed: AbortSignal;
  close(): Promise<void>;
}

/** The folder in which the program's files lie beside each other. */
export interface LocalPrograms {
  readonly folder: string;
}

/** Starts the engine. Several may run one after the other: their checkpoints are files in a store they share. */
export function startEngine({ folder }: LocalPrograms): Promise<LocalService> {
  return startOnSocket("The embedded engine", join(folder, "engine.js"), [
    "--store",
    checkpointStore(),
  ]);
}

export function startEnvironments({ folder }: LocalPrograms): Promise<LocalService> {
  return startOnSocket("The embedded environments", join(folder, "environment.js"), []);
}

async function startOnSocket(
  name: string,
  program: string,
  args: readonly string[],
): Promise<LocalService> {
  // Only the user can enter the folder, so the socket needs no key.
  const { folder, address: socketPath } = await makeSocketFolder("tinker-rl-", "service.sock");
  const clean = (): Promise<void> => rm(folder, { recursive: true, force: true });
  let child: ChildServer;
  try {
    child = await startChild({ name, program, args: ["--socket", socketPath, ...args] });
  } catch (error) {
    await clean();
    throw error;
  }
  return {
    socketPath,
    failed: child.failed,
    close: async () => {
      await child.close();
      await clean();
    },
  };
}
