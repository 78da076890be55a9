/** What the index of the texts costs a whole run: the real loop and clients against the fake services of `bench/loop.ts`. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { textPaths, writeTextIndex } from "../src/core/search/textIndex.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { startChild } from "../src/trainer/services/childProcess.ts";
import { CleanupStack } from "../src/trainer/services/cleanupStack.ts";
import { openBenchRun } from "./benchRun.ts";
import type { Row } from "./editorTable.ts";
import { StepTimer } from "./loopSteps.ts";

const STEPS = 5;
const GROUPS = 8;
const BUDGET_PERCENT = 2;

/** Processor time of the index as a share of that of the trainer, which other load on the machine hardly changes. */
export async function indexShareRow(): Promise<Row> {
  const cleanup = new CleanupStack();
  const folder = await mkdtemp(join(tmpdir(), "tinker-rl-bench-"));
  cleanup.add(() => rm(folder, { recursive: true }));
  try {
    const services = await startChild({
      name: "The fake services",
      program: resolve("scripts/run.mjs"),
      args: [resolve("bench/fakeServices.ts"), folder],
    });
    cleanup.add(services.close);
    const run = await openBenchRun(folder, folder, cleanup);
    const timer = await StepTimer.open(run.context, GROUPS, GROUPS);
    await timer.step();
    const trained = await processorTime(async () => {
      for (let count = 0; count < STEPS; count += 1) await timer.step();
    });
    const { folder: runFolder } = run.context.storage;
    const files = createFileSystem().within(runFolder);
    const index = (step: number) =>
      writeTextIndex(files, textPaths(runFolder, { source: "training", step }));
    await index(0);
    const indexed = await processorTime(async () => {
      for (let step = 1; step <= STEPS; step += 1) await index(step);
    });
    const share = (100 * indexed) / (trained + indexed);
    return {
      what: "processor time of the index",
      samples: [share],
      unit: "%",
      budget: BUDGET_PERCENT,
    };
  } finally {
    await cleanup.closeAll();
  }
}

/** In microseconds, of this process. */
async function processorTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
