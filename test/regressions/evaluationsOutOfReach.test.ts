import { expect, it } from "vitest";
import { evalPath } from "../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { createRunReader } from "../../src/core/runFolder/reader.ts";
import { evaluationRow, groupRow } from "../../src/host/views/trajectoryRows.ts";
import { newestSets } from "../../src/shared/rolloutSet.ts";
import { writeEvaluation } from "../core/runFolder/evaluatedRun.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";

const folder = "/runs/evaluated";

async function evaluatedRun() {
  const fileSystem = createMemoryFileSystem();
  const files = fileSystem.within(folder);
  await writeEvaluation(files, folder, 0, 0.25);
  await writeEvaluation(files, folder, 40, 0.75);
  const follower = new RunFollower({ fileSystem, folder });
  await follower.refresh();
  return { files, follower, reader: createRunReader(files, folder) };
}

it("the rollouts of an evaluation are listed, those of every temperature as groups of their own", async () => {
  const { follower, reader } = await evaluatedRun();
  expect(await follower.steps("evaluation")).toEqual([0, 40]);
  const rollouts = await follower.rollouts(40, "evaluation");
  const places = rollouts.map(({ group, rollout }) => `${group}/${rollout}`);
  expect(new Set(places).size).toBe(16);
  expect(rollouts.map(({ group, index, temperature }) => [group, index, temperature])).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((group) =>
      [0, 1].map(() => [group, 10 + (group % 4), group < 4 ? 0 : 1]),
    ),
  );
  const last = rollouts.at(-1);
  const body = last === undefined ? null : await reader.body(last);
  expect(body?.promptText).toBe("Task 13 at 1 after 40");
});

it("an evaluation under way grows; what was read is kept and broken lines are left out", async () => {
  const { files, follower } = await evaluatedRun();
  const before = await follower.rollouts(0, "evaluation");
  expect(await follower.rollouts(0, "evaluation")).toBe(before);
  await files.append(evalPath(folder, 0), new TextEncoder().encode('{"step":0}\nnot json\n'));
  expect(await follower.rollouts(0, "evaluation")).toEqual(before);
  await writeEvaluation(files, folder, 0, 1);
  const after = await follower.rollouts(0, "evaluation");
  expect(after).toHaveLength(16);
  expect(after.every(({ reward }) => reward === 1)).toBe(true);
});

it("evaluations stand among the steps as they were played, and say what came of them", async () => {
  const { follower } = await evaluatedRun();
  expect(newestSets([0, 1, 39, 40], [0, 40])).toEqual([
    { source: "training", step: 40 },
    { source: "evaluation", step: 40 },
    { source: "training", step: 39 },
    { source: "training", step: 1 },
    { source: "training", step: 0 },
    { source: "evaluation", step: 0 },
  ]);
  expect(evaluationRow(40, follower.evaluations, true)).toMatchObject({
    label: "After 40 steps",
    description: "0.75, 0.75 · 16 rollouts",
    spoken: "Evaluation after 40 steps, mean 0.75, 0.75, 16 rollouts",
  });
  expect(evaluationRow(20, follower.evaluations, true).description).toBe("under way");
  const rollouts = await follower.rollouts(0, "evaluation");
  const group = rollouts.filter((each) => each.group === 0);
  expect(groupRow(0, group, 1).spoken).toMatch(/^calculator test 10, greedy, /);
});
