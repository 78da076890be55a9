/** Embedded engine and environments of one run: child processes on sockets in a private folder, without ports. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DatasetSource } from "../../local/environment/dataset/datasetSource.ts";
import { SERVICE_FOLDER_PREFIX } from "../../local/http/servingProcess.ts";
import { checkpointStore } from "../../node/checkpointStore.ts";
import { makeSocketFolder } from "../../node/socketFolder.ts";
import { type ChildOptions, type ChildServer, startChild } from "./childProcess.ts";

export interface LocalService {
  /** Socket or pipe on which it listens. */
  readonly socketPath: string;
  /** SHA-256 of each dataset file that it serves, by environment. */
  readonly datasets: ChildServer["datasets"];
  /** Aborted with an AppError if it dies. */
  readonly failed: AbortSignal;
  close(): Promise<void>;
}

/** The folder that contains the program's files. */
export interface LocalPrograms {
  readonly folder: string;
}

/** Starts the engine. Several may run in sequence, sharing the checkpoints in the store. */
export function startEngine({ folder }: LocalPrograms): Promise<LocalService> {
  return startOnSocket("The embedded engine", join(folder, "engine.js"), [
    "--store",
    checkpointStore(),
  ]);
}

/** The largest data file takes minutes on a busy computer. */
const DATASET_LIMIT_MS = 300_000;

/** Serves the datasets along with the embedded environments. @throws AppError `dataset-invalid`, `local-service` */
export function startEnvironments(
  { folder }: LocalPrograms,
  datasets: readonly DatasetSource[],
): Promise<LocalService> {
  const program = join(folder, "environment.js");
  return startOnSocket("The embedded environments", program, ["--datasets"], {
    input: JSON.stringify(datasets),
    startLimitMs: datasets.length === 0 ? undefined : DATASET_LIMIT_MS,
  });
}

async function startOnSocket(
  name: string,
  program: string,
  args: readonly string[],
  more: Pick<ChildOptions, "input" | "startLimitMs"> = {},
): Promise<LocalService> {
  // The socket needs no key, because only the user can enter its folder.
  const { folder, address: socketPath } = await makeSocketFolder(
    SERVICE_FOLDER_PREFIX,
    "service.sock",
  );
  const clean = (): Promise<void> => rm(folder, { recursive: true, force: true });
  let child: ChildServer;
  try {
    child = await startChild({
      name,
      program,
      args: ["--socket", socketPath, ...args],
      ...more,
    });
  } catch (error) {
    await clean();
    throw error;
  }
  return {
    socketPath,
    datasets: child.datasets,
    failed: child.failed,
    close: async () => {
      await child.close();
      await clean();
    },
  };
}
