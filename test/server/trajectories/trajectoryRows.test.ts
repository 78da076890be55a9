import { expect, it, test } from "vitest";
import type { EvaluationEntry } from "../../../src/core/runFolder/evaluationLog.ts";
import { MetricColumns } from "../../../src/core/runFolder/metrics/metricColumns.ts";
import {
  evaluationRow,
  groupRow,
  stepRow,
} from "../../../src/server/trajectories/trajectoryRows.ts";
import { newestSets } from "../../../src/shared/rolloutSet.ts";
import { evaluatedRun } from "../../core/runFolder/evaluatedRun.ts";

const result = {
  environment: "local/calculator",
  split: "test",
  temperature: 1,
  rollouts: 32,
  rewardMean: 0.25,
  low: 0.1,
  high: 0.4,
  failed: 0,
};

const metrics = new MetricColumns();
metrics.add({
  step: 1,
  num_groups: 9,
  num_excluded_groups: 7,
  rollout: { reward: { mean: 0.14 } },
});

test("a step's row starts with its reward and has a full text for screen readers", () => {
  expect(stepRow(1, metrics, true)).toMatchObject({
    label: "Step 2",
    description: "0.14 · 9 of 16 groups",
    spoken: "Step 2, mean 0.14, 16 groups, 7 excluded",
  });
});

test("a step whose rollouts mostly failed has no mean reward", () => {
  const failing = new MetricColumns();
  failing.add({ step: 0, num_groups: 1, rollout: { reward: { mean: 1 }, scored_frac: 0.06 } });
  expect(stepRow(0, failing, true).description).toBe("– · 1 group");
});

test("groups that were not excluded count even if nothing was sent to the trainer", () => {
  const nothingSent = new MetricColumns();
  const counts = { num_groups: 0, num_excluded_groups: 0, group: { size: { count: 8 } } };
  nothingSent.add({ step: 0, ...counts, rollout: { reward: { mean: 0 } } });
  expect(stepRow(0, nothingSent, true)).toMatchObject({
    description: "0.00 · 0 of 8 groups",
    spoken: "Step 1, mean 0.00, 8 groups",
  });
});

test("a standalone evaluation is labeled by its model", () => {
  const entry = { step: 8, results: [result] };
  const rowOf = (entries: readonly object[]) =>
    evaluationRow(8, entries as readonly EvaluationEntry[], false);
  expect(rowOf([entry])).toMatchObject({
    label: "After 8 steps",
    description: "0.25 · 32 rollouts",
    spoken: "Evaluation after 8 steps, mean 0.25, 32 rollouts",
  });
  const model = { name: "first \u001b[31mtry", path: null };
  expect(rowOf([{ ...entry, model }]).label).not.toContain("\u001b");
  expect(rowOf([{ ...entry, model: { ...model, name: "step 8" } }]).label).toBe("step 8");
});

test("several models evaluated after the same steps have separate means", () => {
  const entryOf = (name: string, ...means: readonly number[]) => ({
    step: 10,
    model: { name, path: null },
    results: means.map((rewardMean) => ({ ...result, rewardMean })),
  });
  const entries = [entryOf("A", 0.1), entryOf("A", 0), entryOf("B", 1, 0.5)];
  expect(evaluationRow(10, entries as unknown as readonly EvaluationEntry[], false)).toMatchObject({
    label: "A, B",
    description: "A 0.00 · B 1.00, 0.50 · 96 rollouts",
    spoken: "A, B, A mean 0.00, B mean 1.00, 0.50, 96 rollouts",
  });
});

const folder = "/runs/evaluated";

it("evaluations are listed among the steps in the order played, with their results", async () => {
  const { follower } = await evaluatedRun(folder);
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
  expect(evaluationRow(20, follower.evaluations, true).description).toBe("in progress");
  const rollouts = await follower.rollouts(0, "evaluation");
  const group = rollouts.filter((each) => each.group === 0);
  expect(groupRow(0, group, 1).spoken).toMatch(/^calculator test 10, greedy, /);
});
