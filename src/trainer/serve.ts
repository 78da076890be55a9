/** Serves the embedded engine and environments over TCP for other programs. */

import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkpointStore } from "../node/checkpointStore.ts";
import { tokenizerFolder } from "./models/tokenizerFolder.ts";
import { startChild } from "./services/childProcess.ts";

export interface ServeOptions {
  /** 0 = any free port. */
  readonly tinkerPort: number;
  readonly environmentsPort: number;
  /** Maximum number of concurrent environment sessions; null = no limit. */
  readonly maxSessions: number | null;
  /** Folder of the checkpoints; null = the user's default. */
  readonly store: string | null;
  /** Random weights under the name of another model; null = the bundled model. */
  readonly random: RandomModel | null;
  readonly programFolder?: string;
}

interface RandomModel {
  readonly model: string;
  /** A folder, relative to the working directory, or a model on the Hub. */
  readonly tokenizer: string;
}

export interface LocalServers {
  readonly tinkerUrl: string;
  readonly environmentsUrl: string;
  /** API key of both servers. */
  readonly key: string;
  /** Aborted with AppError `local-service` if either of them dies. */
  readonly failed: AbortSignal;
  close(): Promise<void>;
}

/** @throws AppError `local-service`, for example if a port is taken; `tokenizer-*` */
export async function serve(options: ServeOptions): Promise<LocalServers> {
  const folder = options.programFolder ?? dirname(fileURLToPath(import.meta.url));
  const key = `tml-local-${randomBytes(18).toString("base64url")}`;
  const { maxSessions } = options;
  const limit = maxSessions === null ? [] : ["--max-sessions", String(maxSessions)];
  const engine = await startChild({
    name: "The embedded engine",
    program: join(folder, "engine.js"),
    args: ["--port", String(options.tinkerPort), ...(await modelArguments(options, folder))],
    key,
  });
  try {
    const environments = await startChild({
      name: "The embedded environments",
      program: join(folder, "environment.js"),
      args: ["--port", String(options.environmentsPort), ...limit],
      key,
    });
    return {
      tinkerUrl: engine.address,
      environmentsUrl: environments.address,
      key,
      failed: AbortSignal.any([engine.failed, environments.failed]),
      close: async () => {
        await Promise.all([engine.close(), environments.close()]);
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Checkpoints of random weights are kept apart from those of the bundled model. */
async function modelArguments(
  { random, store }: ServeOptions,
  folder: string,
): Promise<readonly string[]> {
  if (random === null) return ["--store", store ?? checkpointStore()];
  const { model, tokenizer } = random;
  const found = await tokenizerFolder(tokenizer, { folder }, join(process.cwd(), "serve"));
  const ownStore = store ?? join(checkpointStore(), "random");
  return ["--store", ownStore, "--model", model, "--tokenizer", found.folder];
}
