/** An editor's launch request for its trainer, without keys unless `changes` has some. */

import { createFileSystem } from "../../src/node/fileSystem.ts";
import { startConfig, startDigest } from "../../src/node/startConfig.ts";
import type { LaunchRequest } from "../../src/shared/control.ts";

export function anOrder(changes: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    version: 1,
    training: { configPath: "a.yaml", resume: null, overrides: [], digest: null },
    keys: {},
    allowedOrigins: [],
    variables: {},
    envFile: null,
    onQuit: "keep running",
    ...changes,
  };
}

/** The launch request for a new run of the configuration at `configPath`, as it is on disk. */
export async function orderOf(
  configPath: string,
  changes: Partial<LaunchRequest> = {},
  overrides: readonly string[] = [],
): Promise<LaunchRequest> {
  const start = await startConfig(createFileSystem(), { configPath, overrides });
  const training = { configPath, resume: null, overrides, digest: startDigest(start) };
  return anOrder({ training, ...changes });
}
