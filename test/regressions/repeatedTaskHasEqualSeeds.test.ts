/** A task that occurs twice in a step was sampled with the same seeds in both groups: the second was a copy of the first. */

import { describe, expect, it } from "vitest";
import type { Config } from "../../src/core/config/fields/schema.ts";
import { runLoop } from "../../src/core/training/loop.ts";
import { START } from "../../src/core/training/step/loopPosition.ts";
import {
  createTaskSequence,
  repeatedTaskWarnings,
  type TaskSource,
} from "../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../src/node/hash.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../core/training/builders.ts";
import { aContext } from "../core/training/fakeContext.ts";

const FEW = "Owner/Few";

function aSource(changes: Partial<TaskSource> = {}): TaskSource {
  const rules = { split: "train", shuffle: true, numSamples: null, weight: 1 };
  return { ...rules, environment: ENVIRONMENT, count: 3, ...changes };
}

/** Seeds of all samples of two steps, rollouts of two a group, each of one turn. */
async function seedsOf(
  sources: readonly TaskSource[],
  mix: Config["mix"],
  batchSize: number,
): Promise<readonly (number | undefined)[]> {
  const solved = { onCall: () => result("", { reward: 1, finished: true }) };
  const context = aContext({
    remote: scriptedEnvironment([solved]),
    otherRemotes: { [FEW]: scriptedEnvironment([solved]) },
    sequence: createTaskSequence(sources, 42, mix, sha256),
    totalSteps: 2,
    config: aConfig({
      batch_size: batchSize,
      mix,
      save_every: 0,
      rolling_save_every: 0,
      environments: Object.fromEntries(
        [ENVIRONMENT, FEW].map((name) => [name, anEnvironment({ num_rollouts: 2 })]),
      ),
      num_epochs: null,
      max_steps: 2,
      max_consecutive_empty_steps: 9,
    }),
  });
  const sampler = scriptedSampler([ended(call("answer"))]);
  context.client.sampler = sampler;
  const identity = { runId: "run", configHash: "h", changedKeys: [], generation: 1 };
  await context.clock.run(runLoop(context, START, identity));
  return sampler.requests.map(({ seed }) => seed);
}

describe("groups of one task", () => {
  it.each([
    ["of a batch larger than the data", [aSource()], "proportional", 7],
    ["at the end of an epoch", [aSource()], "proportional", 2],
    [
      "of an environment with more weight than tasks",
      [aSource({ environment: FEW, count: 1, weight: 3 }), aSource({ count: 9 })],
      "weighted",
      8,
    ],
  ] as const)("%s are sampled with different seeds", async (_, sources, mix, batchSize) => {
    const seeds = await seedsOf(sources, mix, batchSize);
    expect(seeds).toHaveLength(2 * 2 * batchSize);
    expect(new Set(seeds).size).toBe(seeds.length);
  });
});

describe("a step that holds a task more than once", () => {
  const warnings = (sources: readonly TaskSource[], mix: Config["mix"], batch_size: number) =>
    repeatedTaskWarnings(createTaskSequence(sources, 42, mix, sha256), {
      batch_size,
      num_epochs: null,
    });

  it("causes a warning, with the numbers", () => {
    expect(warnings([aSource()], "proportional", 7)).toEqual([
      `batch_size: 7 takes 7 tasks of ${ENVIRONMENT} for the first step, and only 3 of them differ: a task that occurs more than once is a group each time. Lower batch_size, or use more tasks.`,
    ]);
  });

  it("causes a warning for the environment that has too few tasks for its weight", () => {
    const few = aSource({ environment: FEW, count: 1, weight: 3 });
    const many = aSource({ count: 9 });
    expect(warnings([few, many], "weighted", 8)).toEqual([
      expect.stringMatching(/^batch_size: 8 takes 6 tasks of Owner\/Few .* only 1 of them differ/),
    ]);
  });

  it("causes no warning where every task occurs once", () => {
    expect(warnings([aSource()], "proportional", 3)).toEqual([]);
    expect(warnings([aSource()], "proportional", 2)).toEqual([]);
  });
});
