import { describe, expect, it } from "vitest";
import type { EvaluationConfig } from "../../../../src/core/config/fields/schema.ts";
import { evaluationCells } from "../../../../src/core/config/rules/evaluationCells.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import { evaluationSeed } from "../../../../src/core/rollout/seeds.ts";
import { evalPath } from "../../../../src/core/runFolder/files/layout.ts";
import { flattenMetrics } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { evaluate } from "../../../../src/core/training/evaluation/evaluate.ts";
import {
  evaluationMetrics,
  type SummaryOptions,
  summarizeEvaluation,
} from "../../../../src/core/training/evaluation/evaluation.ts";
import { chooseTasks } from "../../../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aRollout, ENVIRONMENT } from "../builders.ts";
import { aContext, FOLDER, linesOf, PATHS } from "../fakeContext.ts";

const cell = { environment: ENVIRONMENT, split: "test", temperature: 0 };

function summarize(rollouts: readonly FinishedRollout[], changes: Partial<SummaryOptions> = {}) {
  const records = rollouts.map(({ record }) => record);
  return summarizeEvaluation(cell, records, { successReward: 1, seed: 42, ...changes });
}

function anEvaluation(changes: Partial<EvaluationConfig> = {}): EvaluationConfig {
  return {
    splits: { [ENVIRONMENT]: ["test"] },
    at_start: true,
    at_end: true,
    every: null,
    num_samples: 3,
    rollouts_per_task: 2,
    temperatures: [0, 1],
    ...changes,
  };
}

describe("the result of an evaluation", () => {
  it("is a mean over tasks, so that every task counts the same", () => {
    const { rewardMean, tasks, rollouts } = summarize([
      aRollout({ index: 0, reward: 1 }),
      aRollout({ index: 1, reward: 0 }),
      aRollout({ index: 1, reward: 0 }),
      aRollout({ index: 1, reward: 0 }),
    ]);
    expect({ rewardMean, tasks, rollouts }).toEqual({ rewardMean: 0.5, tasks: 2, rollouts: 4 });
  });

  it("counts a rollout that failed as 0 and says how many did", () => {
    const { rewardMean, failed, successFraction } = summarize([
      aRollout({ index: 0, reward: 1 }),
      aRollout({ index: 1, reward: null }),
    ]);
    expect({ rewardMean, failed, successFraction }).toEqual({
      rewardMean: 0.5,
      failed: 1,
      successFraction: 0.5,
    });
  });

  it("counts a success from the success reward on", () => {
    const rewards = [0.99, 1, 1.5, -1];
    const rollouts = rewards.map((reward, index) => aRollout({ index, reward }));
    expect(summarize(rollouts).successFraction).toBe(0.5);
  });

  it("has the interval of a bootstrap over tasks", () => {
    const means = (rewards: readonly number[]) =>
      summarize(rewards.map((reward, index) => aRollout({ index, reward })));
    // Of all 256 resamples of four tasks, 5 have a mean below 0.3 and 15 one of at most 0.3: 2.5 % lie in between.
    expect(means([0.2, 0.4, 0.6, 0.8])).toMatchObject({
      low: expect.closeTo(0.3, 9),
      high: expect.closeTo(0.7, 9),
    });
    expect(means([0, 1])).toMatchObject({ low: 0, high: 1 });
    expect(means([1, 1, 1])).toMatchObject({ low: 1, high: 1 });
    expect(means([0.3])).toMatchObject({ low: 0.3, high: 0.3 });
  });

  it("has the chance that one of k rollouts succeeds, as a mean over tasks", () => {
    const attempts = (index: number, rewards: readonly number[]) =>
      rewards.map((reward) => aRollout({ index, reward }));
    const { passAtK } = summarize([
      ...attempts(0, [1, 0, 0, 0]),
      ...attempts(1, [1, 1, 0, 0]),
      ...attempts(2, [0, 0, 0, 0.5]),
    ]);
    // Task 0: 1/4, 1 - 3/6, 1. Task 1: 2/4, 1 - 1/6, 1. Task 2: none.
    expect(passAtK).toMatchObject([
      { k: 1, mean: expect.closeTo((1 / 4 + 1 / 2 + 0) / 3, 12), low: 0, high: 0.5 },
      { k: 2, mean: expect.closeTo((1 / 2 + 5 / 6 + 0) / 3, 12), low: 0 },
      { k: 4, mean: expect.closeTo(2 / 3, 12), low: 0, high: 1 },
    ]);
  });

  it("counts successes from the environment's own threshold on", () => {
    const rollouts = [0.4, 0.5, 0.9].map((reward, index) => aRollout({ index, reward }));
    const { successFraction, successReward, passAtK } = summarize(rollouts, { successReward: 0.5 });
    expect({ successFraction, successReward }).toEqual({
      successFraction: 2 / 3,
      successReward: 0.5,
    });
    expect(passAtK[0]?.mean).toBeCloseTo(2 / 3, 12);
  });

  it("is compared task by task with an earlier one", () => {
    const rollouts = [1, 1, 0, 1].map((reward, index) => aRollout({ index, reward }));
    // Task 3 is new; the others changed by 1, 0.5 and 0: means of 27 resamples, one each at 0 and 1.
    const baseline = new Map([0, 0.5, 0].map((reward, index) => [index, reward]));
    expect(summarize(rollouts, { baseline }).difference).toEqual({
      tasks: 3,
      mean: 0.5,
      low: 0,
      high: 1,
    });
    expect(summarize(rollouts)).not.toHaveProperty("difference");
    const same = new Map([1, 1, 0, 1].map((reward, index) => [index, reward]));
    expect(summarize(rollouts, { baseline: same }).difference).toEqual({
      tasks: 4,
      mean: 0,
      low: 0,
      high: 0,
    });
  });

  it("reports how long the rollouts were", () => {
    const { tokensMean, turnsMean } = summarize([
      aRollout({ index: 0, reward: 1, turnTokens: [3, 5] }),
      aRollout({ index: 1, reward: 1, turnTokens: [4] }),
    ]);
    expect({ tokensMean, turnsMean }).toEqual({ tokensMean: 6, turnsMean: 1.5 });
  });

  it("of nothing is zero", () => {
    expect(summarize([])).toMatchObject({ tasks: 0, rewardMean: 0, low: 0, high: 0, failed: 0 });
  });

  it("has metrics by environment, split and temperature", () => {
    const results = [0, 0.7].map((temperature) => ({ ...summarize([]), temperature }));
    const names = Object.keys(flattenMetrics(evaluationMetrics(results)));
    expect(names).toContain(`eval/${ENVIRONMENT}/test/greedy/reward_mean`);
    expect(names).toContain(`eval/${ENVIRONMENT}/test/temperature_0.7/ci_low`);
    expect(names).toHaveLength(14);
  });
});

describe("an evaluation", () => {
  const solved = { onCall: () => result("", { reward: 1, finished: true }) };

  async function run(step: number, evaluation = anEvaluation()) {
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    const sampler = scriptedSampler([ended(call("answer"))]);
    const at = { step, purpose: "periodic" as const };
    const results = await context.clock.run(evaluate(context, evaluation, sampler, at));
    return { context, sampler, results };
  }

  it("covers every split at every temperature", () => {
    const splits = { "a/b": ["test", "hard"], "c/d": ["test"] };
    const cells = evaluationCells(anEvaluation({ splits }));
    expect(cells.map(({ split, temperature }) => `${split} ${temperature}`)).toEqual([
      ...["test 0", "test 1", "hard 0", "hard 1"],
      ...["test 0", "test 1"],
    ]);
  });

  it("plays the same tasks with the same seeds at every step", async () => {
    const early = (await run(0)).sampler.requests;
    const late = (await run(30)).sampler.requests;
    expect(late).toEqual(early);
    expect(early.map(({ temperature }) => temperature)).toEqual([
      0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1,
    ]);
    const seeds = early.slice(0, 6).map(({ seed }) => seed);
    const tasks = { environment: ENVIRONMENT, split: "test" };
    const source = { ...tasks, count: 8, shuffle: true, numSamples: 3 };
    const expected = chooseTasks(source, 42, sha256, "subset|eval").flatMap((index) =>
      [0, 1].map((rollout) => evaluationSeed(sha256, 42, { ...tasks, index, rollout }, 0, 0)),
    );
    expect(seeds).toEqual(expected);
  });

  it("keeps its rollouts apart from those of training, and one line of results", async () => {
    const { context, results } = await run(10);
    expect(results.map(({ tasks, rollouts }) => [tasks, rollouts])).toEqual([
      [3, 6],
      [3, 6],
    ]);
    const bodies = linesOf(context, evalPath(FOLDER, 10));
    expect(bodies).toHaveLength(12);
    expect(bodies[0]).toMatchObject({ step: 10, split: "test", temperature: 0, reward: 1 });
    expect(linesOf(context, PATHS.evaluations)).toEqual([
      { step: 10, purpose: "periodic", timeMs: context.clock.now(), results },
    ]);
    expect(
      [...context.fileSystem.files.keys()].filter((path) => path.includes("rollouts/")),
    ).toEqual([]);
  });

  it("reports to watchers when it begins and what came of it", async () => {
    const { context, results } = await run(10);
    const finished = context.progress.filter(({ kind }) => kind === "rollout-finished");
    expect(finished).toHaveLength(12);
    expect(finished.at(-1)).toMatchObject({ step: 10, done: 12, rollouts: 12 });
    expect(context.progress.filter(({ kind }) => kind !== "rollout-finished")).toEqual([
      { kind: "evaluating", step: 10, purpose: "periodic", rollouts: 12 },
      { kind: "evaluated", step: 10, purpose: "periodic", results },
    ]);
  });

  it("plays what an interrupted one had not finished, and gives what one without an end would", async () => {
    const { context: whole, results } = await run(10);
    const path = evalPath(FOLDER, 10);
    const lines = linesOf(whole, path).map((line) => `${JSON.stringify(line)}\n`);
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    await context.fileSystem.append(path, lines.slice(0, 5).join(""));
    const sampler = scriptedSampler([ended(call("answer"))]);
    const at = { step: 10, purpose: "periodic" as const };
    expect(await context.clock.run(evaluate(context, anEvaluation(), sampler, at))).toEqual(
      results,
    );
    expect(sampler.requests).toHaveLength(7);
    expect(linesOf(context, path)).toHaveLength(12);
    const finished = context.progress.filter(({ kind }) => kind === "rollout-finished");
    expect(finished.at(-1)).toMatchObject({ done: 12, rollouts: 12 });
  });

  it("takes no rollouts of other weights for its own", async () => {
    const { context } = await run(10);
    const sampler = scriptedSampler([ended(call("answer"))]);
    const again = { step: 10, purpose: "end" as const };
    await context.clock.run(evaluate(context, anEvaluation(), sampler, again));
    const model = { name: "base", path: null };
    await context.clock.run(evaluate(context, anEvaluation(), sampler, { ...again, model }));
    expect(sampler.requests).toHaveLength(24);
    const stored = linesOf(context, PATHS.evaluations);
    expect(stored).toMatchObject([{}, { purpose: "end" }, { purpose: "end", model }]);
    expect(stored[0]).not.toHaveProperty("results.0.difference");
    expect(stored[2]).toHaveProperty("results.0.difference", {
      tasks: 3,
      mean: 0,
      low: 0,
      high: 0,
    });
  });

  it("ends with the reason of a stop, and writes no result", async () => {
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    const sampler = scriptedSampler([ended(call("answer"))]);
    context.control.stop();
    const at = { step: 0, purpose: "start" as const };
    await expect(evaluate(context, anEvaluation(), sampler, at)).rejects.toBe(
      context.control.signal.reason,
    );
    expect(context.fileSystem.files.has(PATHS.evaluations)).toBe(false);
  });
});
