import { expect, test } from "vitest";
import { evalPath, runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { compareEvaluations } from "../../../src/server/runsTable/comparedEvaluations.ts";
import { aRecord, aStoredResult } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const CELL = { environment: "local/calculator", split: "test", temperature: 0 };
const TASKS = 20;

interface Stored {
  readonly purpose: string;
  readonly model?: string;
  readonly tasks?: number;
  readonly rewardOf: (task: number) => number;
}

/** Evaluations after 10 steps, in the order in which they ended. */
async function writeEvaluations(
  { makeDirectory, append }: ReturnType<typeof createMemoryFileSystem>,
  folder: string,
  evaluations: readonly Stored[],
): Promise<void> {
  await makeDirectory(runPaths(folder).evalFolder);
  for (const { purpose, model, tasks = TASKS, rewardOf } of evaluations) {
    const rewards = Array.from({ length: tasks }, (_, task) => rewardOf(task));
    for (const [index, reward] of rewards.entries()) {
      const record = aRecord({ ...CELL, step: 10, group: index, rollout: 0, index, reward });
      const use = { temperature: 0, purpose, tokenData: [], ...(model !== undefined && { model }) };
      await append(evalPath(folder, 10), encodeJsonLine({ ...record, ...use }));
    }
    const rewardMean = rewards.reduce((sum, reward) => sum + reward, 0) / tasks;
    const counts = { tasks, rollouts: tasks, rewardMean, successFraction: rewardMean };
    const result = aStoredResult({ ...CELL, ...counts, low: null, high: null });
    const line = {
      step: 10,
      purpose,
      timeMs: 1,
      results: [result],
      ...(model !== undefined && { model: { name: model, path: null } }),
    };
    await append(runPaths(folder).evaluations, encodeJsonLine(line));
  }
}

async function comparedWith(evaluations: readonly Stored[]) {
  const fileSystem = createMemoryFileSystem();
  const halves = (task: number) => task % 2;
  await writeEvaluations(fileSystem, "/first", [{ purpose: "periodic", rewardOf: halves }]);
  await writeEvaluations(fileSystem, "/second", evaluations);
  const folders = new Map(["first", "second"].map((id) => [id, `/${id}`]));
  const [cell] = await compareEvaluations(fileSystem, folders);
  return cell?.results["second"];
}

test("if a folder evaluated several models after the same steps, the newest is compared by its own rollouts", async () => {
  const found = await comparedWith([
    { purpose: "asked", model: "A", rewardOf: () => 0 },
    { purpose: "asked", model: "B", rewardOf: () => 1 },
  ]);
  expect(found).toMatchObject({
    model: "B",
    mean: 1,
    rollouts: TASKS,
    difference: { mean: 0.5, better: 10 },
  });
  expect(found?.tasks.every((reward) => reward === 1)).toBe(true);
});

test("rollouts of another evaluation of the same weights are not compared", async () => {
  const found = await comparedWith([
    { purpose: "periodic", rewardOf: () => 0 },
    { purpose: "end", tasks: 10, rewardOf: () => 1 },
  ]);
  expect(found).toMatchObject({ mean: 1, rollouts: 10, difference: { mean: 0.5, tasks: 10 } });
});
