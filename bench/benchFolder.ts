/** Temporary folders for benchmarks, and their shared actions: starting fake services and training the embedded model. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Watcher } from "../src/core/training/run/progress.ts";
import { startChild } from "../src/trainer/services/childProcess.ts";
import { CleanupStack } from "../src/trainer/services/cleanupStack.ts";
import { startTraining } from "../src/trainer/trainer.ts";

export const PROGRAMS = resolve("dist/trainer");

/** Runs `work` in a new folder, which is removed after everything in `cleanup` has run. */
export async function inBenchFolder<T>(
  work: (folder: string, cleanup: CleanupStack) => Promise<T>,
): Promise<T> {
  const cleanup = new CleanupStack();
  const folder = await mkdtemp(join(tmpdir(), "tinker-rl-bench-"));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  try {
    return await work(folder, cleanup);
  } finally {
    await cleanup.closeAll();
  }
}

/** Starts a process of fake services that listen on sockets in `folder`. */
export async function startFakes(
  program: "fakeServices" | "fakeTrackers",
  folder: string,
  cleanup: CleanupStack,
): Promise<void> {
  const child = await startChild({
    name: "The fake services",
    program: resolve("scripts/run.mjs"),
    args: [resolve(`bench/${program}.ts`), folder],
  });
  cleanup.add(child.close);
}

/** Trains with a configuration written to `folder`, with checkpoints below it; resolves with the run's folder. */
export async function trainIn(
  folder: string,
  name: string,
  config: string,
  watch: Watcher = () => undefined,
): Promise<string | null> {
  process.env["TINKER_RL_STORE"] = join(folder, "checkpoints");
  const configPath = join(folder, `${name}.yaml`);
  await writeFile(configPath, config);
  const run = startTraining({ owner: "terminal", programFolder: PROGRAMS, configPath, watch });
  return (await run.ended).folder;
}
