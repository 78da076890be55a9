/** The text index's share of a run's cost: the real loop and clients against the fake services of `bench/loop.ts`. */

import { textPaths, writeTextIndex } from "../src/core/search/textIndex.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { inBenchFolder, startFakes } from "./benchFolder.ts";
import { openBenchRun } from "./benchRun.ts";
import { type Row, row } from "./editorTable.ts";
import { StepTimer } from "./loopSteps.ts";

const STEPS = 5;
const GROUPS = 8;
const BUDGET_PERCENT = 2;

/** CPU time of the index as a share of the trainer's, which other load on the machine hardly changes. */
export function indexShareRow(): Promise<Row> {
  return inBenchFolder(async (folder, cleanup) => {
    await startFakes("fakeServices", folder, cleanup);
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
    return row("processor time of the index", [share], BUDGET_PERCENT, "%");
  });
}

/** CPU time of this process in microseconds. */
async function processorTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
