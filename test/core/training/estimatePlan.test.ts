import { expect, it } from "vitest";
import {
  collectEstimate,
  estimatePlan,
  supervisedEstimate,
} from "../../../src/core/training/estimatePlan.ts";
import { createTaskSequence } from "../../../src/core/training/tasks/dataset.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { aConfig, anEnvironment, anEvaluation } from "./builders.ts";

/** The order of ten tasks. */
const sequence = createTaskSequence(
  [
    {
      environment: "game",
      split: "train",
      count: 10,
      shuffle: false,
      numSamples: null,
      weight: 1,
    },
  ],
  1,
  "proportional",
  sha256,
);

it("estimates rollouts up to the attempt limit, no training, and rollout time for a collect stage", async () => {
  const split = { shuffle: true, num_samples: null };
  const environments = { game: anEnvironment({ splits: { train: split, easy: split } }) };
  const config = aConfig({ method: "collect", environments, samples_per_task: 3, max_tasks: 10 });
  const tasks = { train: 500, easy: 4 };
  const countTasks = async (_: string, name: string) =>
    name === "easy" ? tasks.easy : tasks.train;
  const tokens = { ...NO_TOKENS, sampled: 20 };
  const rollout = { tokens, data: 30, isTrained: true, reward: 1 };
  const group = { environment: "game", trainedFraction: 1, passedFraction: 1, rollouts: [rollout] };
  const times = [{ rollouts: 8, rolloutS: 4, trainS: 2, totalS: 6 }];
  // An evaluation of other tasks.
  const evaluated = [
    { environment: "game", temperature: 1, tokens: { ...NO_TOKENS, sampled: 99 } },
  ];
  const basis = { groups: [group], evaluated, times, serverCheck: tokens };
  const { estimate, plan } = await collectEstimate(config, { countTasks }, basis, null);
  expect(estimate.totalTokens.mean).toBe((10 + 4) * 3 * 20);
  expect(estimate.evaluationTokens.mean).toBe(0);
  expect(estimate.steps).toBe(0);
  // Half a second each.
  expect(estimate.hours?.high).toBeCloseTo((42 * 0.5) / 3600, 9);
  expect(plan.environments).toEqual([
    { name: "game", groups: 30, rollouts: 1 },
    { name: "game", groups: 12, rollouts: 1 },
  ]);
});

it("estimates supervised fine-tuning with the steps of its configuration", () => {
  const config = aConfig({ method: "sft", batch_size: 4, num_epochs: 1, max_steps: null });
  const examples = { trained: [], heldOut: [], digest: "" };
  const { estimate, plan } = supervisedEstimate(config, sequence, examples, null);
  expect([estimate.steps, plan.steps]).toEqual([3, 3]);
});

it.each([
  [{}, { steps: 10, evaluations: 1 + 4 + 1 }],
  [{ stop_at_step: 4 }, { steps: 4, evaluations: 1 + 2 }],
  [{ stop_at_step: 5 }, { steps: 5, evaluations: 1 + 2 }],
  [{ stop_at_step: 10 }, { steps: 10, evaluations: 1 + 4 + 1 }],
  [
    { stop_at_step: 4, max_steps: null },
    { steps: 4, evaluations: 1 + 2 },
  ],
])("with %o, covers the steps and evaluations up to the stop", async (changes, expected) => {
  const evaluation = anEvaluation({ at_start: true, at_end: true, every: 2 });
  const config = aConfig({ evaluation, num_epochs: null, max_steps: 10, ...changes });
  const { steps, evaluations } = await estimatePlan(config, {
    sequence,
    countTasks: async () => 8,
  });
  expect({ steps, evaluations: evaluations.count }).toEqual(expected);
});
