import { describe, expect, it } from "vitest";
import type { EvaluationConfig } from "../../../../src/core/config/fields/schema.ts";
import { evaluationCells } from "../../../../src/core/config/rules/evaluationCells.ts";
import { contextBefore } from "../../../../src/core/conversation/storedRollout.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import { evaluationSeed } from "../../../../src/core/rollout/seeds.ts";
import { evalPath, tokensPath } from "../../../../src/core/runFolder/files/layout.ts";
import { flattenMetrics } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { createRunReader } from "../../../../src/core/runFolder/reader.ts";
import { readTokenSummary } from "../../../../src/core/runFolder/rollouts/tokenSummary.ts";
import { repairTails, supersedeFrom } from "../../../../src/core/runFolder/supersede.ts";
import {
  type EvaluationPlace,
  evaluate,
} from "../../../../src/core/training/evaluation/evaluate.ts";
import {
  endRow,
  evaluationMetrics,
  type SummaryOptions,
  summarizeEvaluation,
} from "../../../../src/core/training/evaluation/evaluation.ts";
import { chooseTasks } from "../../../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { findStoredTurn } from "../../../../src/trainer/chat/findStoredTurn.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, ended, type ScriptedSampler, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";
import { aConfig, anEvaluation, aRollout, ENVIRONMENT, someSettings } from "../builders.ts";
import { aContext, type FakeContext, FOLDER, linesOf, PATHS } from "../fakeContext.ts";

const cell = { environment: ENVIRONMENT, split: "test", temperature: 0 };

function summarize(rollouts: readonly FinishedRollout[], changes: Partial<SummaryOptions> = {}) {
  const records = rollouts.map(({ record }) => record);
  return summarizeEvaluation(cell, records, {
    successReward: 1,
    failureReward: null,
    baseline: [],
    ...changes,
  });
}

function twiceEvaluated(changes: Partial<EvaluationConfig> = {}): EvaluationConfig {
  const often = { at_start: true, at_end: true, every: null, num_samples: 3, rollouts_per_task: 2 };
  return anEvaluation({ ...often, temperatures: [0, 1], ...changes });
}

describe("the result of an evaluation", () => {
  it("averages over tasks, so that every task counts the same", () => {
    const { rewardMean, tasks, rollouts } = summarize([
      aRollout({ index: 0, reward: 1 }),
      aRollout({ index: 1, reward: 0 }),
      aRollout({ index: 1, reward: 0 }),
      aRollout({ index: 1, reward: 0 }),
    ]);
    expect({ rewardMean, tasks, rollouts }).toEqual({ rewardMean: 0.5, tasks: 2, rollouts: 4 });
  });

  it("counts a failed rollout as the smaller of 0 and the lowest reward, and reports how many failed", () => {
    const half = (failing: readonly (number | null)[]) =>
      summarize(failing.map((reward, index) => aRollout({ index, reward })));
    expect(half([1, null])).toMatchObject({ rewardMean: 0.5, failed: 1, failureReward: 0 });
    expect(half([-0.6, null])).toMatchObject({ rewardMean: -0.6, failed: 1, failureReward: -0.6 });
    expect(half([null, null])).toMatchObject({ rewardMean: 0, failed: 2, failureReward: 0 });
  });

  it("takes tokens and turns from rollouts that were played, and omits them when none was", () => {
    const played = [
      aRollout({ index: 0, reward: 1, turnTokens: [3, 5] }),
      aRollout({ index: 1, reward: 1, turnTokens: [4] }),
    ];
    const failed = aRollout({ index: 2, reward: null, turnTokens: [] });
    expect(summarize([...played, failed])).toMatchObject({ tokensMean: 6, turnsMean: 1.5 });
    expect(summarize([failed])).toMatchObject({ tokensMean: null, turnsMean: null });
  });

  it("counts a failed rollout as the configured reward", () => {
    const rollouts = [1, null].map((reward, index) => aRollout({ index, reward }));
    expect(summarize(rollouts, { failureReward: -1 })).toMatchObject({
      rewardMean: 0,
      failureReward: -1,
    });
  });

  it("never counts a failed rollout as a success, even when a reward below 0 is one", () => {
    const rollouts = [-0.5, null].map((reward, index) => aRollout({ index, reward }));
    const { successFraction, passAtK } = summarize(rollouts, { successReward: -1 });
    expect(successFraction).toBe(0.5);
    expect(passAtK[0]?.mean).toBe(0.5);
  });

  it("has a confidence interval over tasks, and none for a single task", () => {
    const means = (rewards: readonly number[]) =>
      summarize(rewards.map((reward, index) => aRollout({ index, reward })));
    const sixteen = means(Array.from({ length: 16 }, () => 1));
    expect(sixteen).toMatchObject({ low: expect.closeTo(0.806, 3), high: 1 });
    expect(sixteen.passAtK).toMatchObject([{ k: 1, low: sixteen.low, high: 1 }]);
    expect(means([0.3])).toMatchObject({ low: null, high: null });
  });

  it("has pass@k as a mean over tasks", () => {
    const attempts = (index: number, rewards: readonly number[]) =>
      rewards.map((reward) => aRollout({ index, reward }));
    const { passAtK } = summarize([
      ...attempts(0, [1, 0, 0, 0]),
      ...attempts(1, [1, 1, 0, 0]),
      ...attempts(2, [0, 0, 0, 0.5]),
    ]);
    // Task 0: 1/4, 1 - 3/6, 1. Task 1: 2/4, 1 - 1/6, 1. Task 2: none.
    expect(passAtK).toMatchObject([
      { k: 1, mean: expect.closeTo((1 / 4 + 1 / 2 + 0) / 3, 12) },
      { k: 2, mean: expect.closeTo((1 / 2 + 5 / 6 + 0) / 3, 12), low: 0, high: 1 },
      { k: 4, mean: expect.closeTo(2 / 3, 12) },
    ]);
  });

  it("counts successes with the environment's own threshold", () => {
    const rollouts = [0.4, 0.5, 0.9].map((reward, index) => aRollout({ index, reward }));
    const { successFraction, successReward, passAtK } = summarize(rollouts, { successReward: 0.5 });
    expect({ successFraction, successReward }).toEqual({
      successFraction: 2 / 3,
      successReward: 0.5,
    });
    expect(passAtK[0]?.mean).toBeCloseTo(2 / 3, 12);
  });

  it("is compared with an earlier result task by task", () => {
    const rewards = (values: readonly number[]) =>
      values.map((reward, index) => ({ index, reward }));
    const rollouts = rewards([1, 1, 0, 1, 1, 1, 1, 1, 0]).map(aRollout);
    // The ninth task is new.
    const baseline = rewards([0, 1, 0, 1, 0, 1, 1, 1]);
    expect(summarize(rollouts, { baseline }).difference).toMatchObject({
      tasks: 8,
      mean: expect.closeTo(0.25, 12),
    });
    expect(summarize(rollouts).difference).toBeUndefined();
  });

  it("gives no difference with fewer than 8 shared tasks", () => {
    const seven = Array.from({ length: 7 }, (_, index) => ({ index, reward: 1 }));
    const result = summarize(seven.map(aRollout), { baseline: seven });
    expect(result.difference).toBeUndefined();
  });

  it("is zero without rollouts", () => {
    expect(summarize([])).toMatchObject({
      tasks: 0,
      rewardMean: 0,
      low: null,
      high: null,
      failed: 0,
    });
  });

  it("has metrics by environment, split, and temperature", () => {
    const results = [0, 0.7].map((temperature) => ({ ...summarize([]), temperature }));
    const names = Object.keys(flattenMetrics(evaluationMetrics(results)));
    expect(names).toContain(`eval/${ENVIRONMENT}/test/greedy/reward_mean`);
    expect(names).toContain(`eval/${ENVIRONMENT}/test/temperature_0.7/ci_low`);
    expect(names).toHaveLength(16);
  });

  it("has its own row after the last step, without step metrics", () => {
    expect(endRow(40, 2, [summarize([])])).toEqual({
      step: 40,
      evaluation_only: true,
      progress: { attempt: 2 },
      ...evaluationMetrics([summarize([])]),
    });
  });

  it("has metrics for pass@k and for the change from the first evaluation", () => {
    const eight = Array.from({ length: 8 }, (_, index) => ({ index, reward: index % 2 }));
    const before = eight.map(({ index }) => ({ index, reward: 0 }));
    const twice = [...eight, ...eight].map(aRollout);
    const results = [summarize(twice, { baseline: before })];
    expect(flattenMetrics(evaluationMetrics(results))).toMatchObject({
      [`eval/${ENVIRONMENT}/test/greedy/pass_at/1`]: 0.5,
      [`eval/${ENVIRONMENT}/test/greedy/pass_at/2`]: 0.5,
      [`eval/${ENVIRONMENT}/test/greedy/change/mean`]: 0.5,
      [`eval/${ENVIRONMENT}/test/greedy/change/num_tasks`]: 8,
      [`eval/${ENVIRONMENT}/test/greedy/change/ci_high`]: results[0]?.difference?.high,
    });
  });
});

describe("an evaluation", () => {
  const solved = { onCall: () => result("", { reward: 1, finished: true }) };

  interface Played extends Partial<EvaluationPlace> {
    readonly context?: FakeContext;
    readonly evaluation?: EvaluationConfig;
    readonly sampler?: ScriptedSampler;
  }

  async function run({
    context = aContext({ remote: scriptedEnvironment([solved]) }),
    evaluation = twiceEvaluated(),
    sampler = scriptedSampler([ended(call("answer"))]),
    ...place
  }: Played = {}) {
    const at = { step: 10, purpose: "periodic" as const, ...place };
    const results = await context.clock.run(evaluate(context, evaluation, sampler, at));
    return { context, sampler, results };
  }

  it("covers every split at every temperature once", () => {
    const splits = { "a/b": ["test", "hard", "test"], "c/d": ["test"] };
    const cells = evaluationCells(twiceEvaluated({ splits, temperatures: [0, 1, 0] }));
    expect(cells.map(({ split, temperature }) => `${split} ${temperature}`)).toEqual([
      ...["test 0", "test 1", "hard 0", "hard 1"],
      ...["test 0", "test 1"],
    ]);
  });

  it("plays the same tasks with the same seeds at every step", async () => {
    const early = (await run({ step: 0 })).sampler.requests;
    const late = (await run({ step: 30 })).sampler.requests;
    expect(late).toEqual(early);
    expect(early.map(({ temperature }) => temperature)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1]);
    const seeds = early.slice(3).map(({ seed }) => seed);
    const tasks = { environment: ENVIRONMENT, split: "test" };
    const source = { ...tasks, count: 8, shuffle: true, numSamples: 3 };
    const expected = chooseTasks(source, 0, sha256, "subset|eval").flatMap((index) =>
      [0, 1].map((rollout) => evaluationSeed(sha256, 0, { ...tasks, index, rollout }, 0)),
    );
    expect(seeds).toEqual(expected);
  });

  it("plays the same tasks and seeds in runs with different seeds, and other seeds with its own seed", async () => {
    const requests = async (seed: number, evaluation = twiceEvaluated()) => {
      const config = aConfig({ seed });
      const remote = scriptedEnvironment([solved]);
      const { context, sampler } = await run({ context: aContext({ config, remote }), evaluation });
      const played = linesOf(context, evalPath(FOLDER, 10));
      return {
        tasks: played.map((each) => (isJsonObject(each) ? each["index"] : null)),
        requests: sampler.requests,
      };
    };
    const first = await requests(1);
    expect(await requests(2)).toEqual(first);
    expect(await requests(1, twiceEvaluated({ seed: 5 }))).not.toEqual(first);
  });

  it("does not request log-probabilities that the service did not return", async () => {
    const blank = { text: ended(call("answer")), logprobs: () => null };
    const { sampler } = await run({ sampler: scriptedSampler([blank]) });
    expect(sampler.recomputed).toEqual([]);
  });

  it("stores its rollouts apart from training rollouts, with one line of results", async () => {
    const { context, results } = await run();
    expect(results.map(({ tasks, rollouts }) => [tasks, rollouts])).toEqual([
      [3, 3],
      [3, 6],
    ]);
    const bodies = linesOf(context, evalPath(FOLDER, 10));
    expect(bodies).toHaveLength(9);
    expect(bodies[0]).toMatchObject({ step: 10, split: "test", temperature: 0, reward: 1 });
    expect(linesOf(context, PATHS.evaluations)).toEqual([
      { step: 10, purpose: "periodic", timeMs: context.clock.now(), results },
    ]);
    expect(
      [...context.fileSystem.files.keys()].filter((path) => path.includes("rollouts/")),
    ).toEqual([]);
  });

  it("reports its start and its results to watchers", async () => {
    const { context, results } = await run();
    const finished = context.progress.filter(({ kind }) => kind === "rollout-finished");
    expect(finished).toHaveLength(9);
    expect(finished.at(-1)).toMatchObject({ step: 10, done: 9, rollouts: 9 });
    expect(context.progress.filter(({ kind }) => kind !== "rollout-finished")).toEqual([
      { kind: "evaluating", step: 10, purpose: "periodic", rollouts: 9 },
      { kind: "evaluated", step: 10, purpose: "periodic", results, baseline: null },
    ]);
  });

  it("is reported next to the first evaluation of the run folder, also when that was stored earlier", async () => {
    const { context, results } = await run({ step: 0 });
    for (const step of [10, 0, 10]) await run({ context, step });
    const reported = context.progress.filter((event) => event.kind === "evaluated");
    expect(reported.map(({ baseline }) => baseline)).toEqual([null, results, null, results]);
  });

  it("finishes the rollouts that an interrupted evaluation left, with the same result", async () => {
    const { context: whole, results } = await run();
    const path = evalPath(FOLDER, 10);
    const lines = linesOf(whole, path).map((line) => `${JSON.stringify(line)}\n`);
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    await context.fileSystem.append(path, lines.slice(0, 5).join(""));
    const { sampler, results: finishedResults } = await run({ context });
    expect(finishedResults).toEqual(results);
    expect(sampler.requests).toHaveLength(4);
    expect(linesOf(context, path)).toHaveLength(9);
    const finished = context.progress.filter(({ kind }) => kind === "rollout-finished");
    expect(finished.at(-1)).toMatchObject({ done: 9, rollouts: 9 });
  });

  it("is not repeated at the end if a run ends with the weights that it evaluated last", async () => {
    const { context, results: last } = await run();
    const { sampler, results } = await run({ context, purpose: "end" });
    expect(results).toEqual(last);
    expect(sampler.requests).toEqual([]);
    expect(linesOf(context, PATHS.evaluations)).toHaveLength(1);
  });

  it("does not reuse rollouts from other weights", async () => {
    const evaluation = twiceEvaluated({ num_samples: 8 });
    const { context } = await run({ evaluation });
    const model = { name: "base", path: null };
    const { sampler } = await run({ context, evaluation, purpose: "end", model });
    expect(sampler.requests).toHaveLength(24);
    const stored = linesOf(context, PATHS.evaluations);
    expect(stored).toMatchObject([{}, { purpose: "end", model }]);
    expect(stored[0]).not.toHaveProperty("results.0.difference");
    expect(stored[1]).toMatchObject({ results: [{ difference: { tasks: 8, mean: 0 } }, {}] });
  });

  it("does not reuse results of another checkpoint with the same name", async () => {
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    const models = ["a", "b"].map((id) => ({
      name: "step 5",
      path: `tinker://${id}/sampler_weights/c5`,
    }));
    for (const model of models) await run({ context, step: 5, purpose: "asked", model });
    expect(linesOf(context, PATHS.evaluations)).toMatchObject(models.map((model) => ({ model })));
  });

  it("ends with the reason for the stop, and writes no result", async () => {
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    context.control.stop();
    await expect(run({ context })).rejects.toBe(context.control.signal.reason);
    expect(context.fileSystem.files.has(PATHS.evaluations)).toBe(false);
  });
});

const STEP = 10;
const SET = { source: "evaluation", step: STEP } as const;
const BODIES = evalPath(FOLDER, STEP);
const TOKENS = tokensPath(FOLDER, SET);

const evaluation = anEvaluation({ num_samples: 2, temperatures: [0, 1] });

/** Two tasks, each played greedy and sampled, with two turns each. */
async function evaluated(
  fileSystem = createMemoryFileSystem(),
  changes: Partial<EvaluationPlace> = {},
) {
  const remote = scriptedEnvironment([{ onCall: () => result("go on") }]);
  const context = aContext({ remote, fileSystem, settings: someSettings({ maxTurns: 2 }) });
  const sampler = scriptedSampler([ended(call("answer"))]);
  const at = { step: STEP, purpose: "periodic" as const, ...changes };
  await context.clock.run(evaluate(context, evaluation, sampler, at));
  return { fileSystem, prompts: sampler.requests.map(({ prompt }) => Array.from(prompt)) };
}

function copyOf(files: MemoryFileSystem): MemoryFileSystem {
  const copy = createMemoryFileSystem();
  for (const [path, bytes] of files.files) copy.files.set(path, bytes.slice());
  return copy;
}

/** What the model read before each turn of each rollout, and the stored records of its streams. */
async function stored(files: MemoryFileSystem) {
  const reader = createRunReader(files, FOLDER);
  const rollouts = await reader.rollouts(STEP, "evaluation");
  return Promise.all(
    rollouts.map(async (summary) => {
      const record = await reader.body(summary);
      const read = await Promise.all(summary.tokenData.map((each) => reader.tokens(summary, each)));
      const streams = read.filter((each) => each !== null);
      if (record === null) throw new Error("a rollout is not wholly stored");
      const contexts = record.turns.map((_, turn) => contextBefore({ record, streams, turn }));
      return { contexts, streams };
    }),
  );
}

describe("the tokens of an evaluation", () => {
  it("are the ones that the model read and sampled", async () => {
    const { fileSystem, prompts } = await evaluated();
    const rollouts = await stored(fileSystem);
    expect(rollouts).toHaveLength(4);
    expect(
      rollouts
        .flatMap(({ contexts }) => contexts)
        .map(String)
        .sort(),
    ).toEqual(prompts.map(String).sort());
    for (const { streams } of rollouts) {
      const [stream] = streams;
      expect(Array.from(stream?.mask ?? [])).toContain(1);
      expect(new Set(Array.from(stream?.advantages ?? []))).toEqual(new Set([0]));
      expect(new Set(Array.from(stream?.trainerLogprobs ?? []))).toEqual(new Set([Number.NaN]));
    }
    const [summary] = await createRunReader(fileSystem, FOLDER).rollouts(STEP, "evaluation");
    const [entry] = summary?.tokenData ?? [];
    if (entry === undefined) throw new Error("no token data");
    const { strip } = (await readTokenSummary(fileSystem, FOLDER, SET, entry)) ?? {};
    expect(new Set(strip)).toEqual(new Set([-0.5]));
  });

  it("belong to the right rollout when conversations continue, whatever the order in which rollouts end", async () => {
    const { fileSystem } = await evaluated(undefined, { model: { name: "base", path: null } });
    const run = { folder: FOLDER, files: fileSystem };
    const place = { ...SET, rollout: 1, turn: 2 };
    const [first] = await stored(fileSystem);
    for (const group of [1, null]) {
      const found = await findStoredTurn(run, { ...place, group });
      expect(found.model).toBe("base");
      expect(contextBefore(found)).toEqual(first?.contexts[1]);
    }
    await expect(findStoredTurn(run, { ...place, group: null, rollout: 5 })).rejects.toThrow(
      "The evaluation after 10 steps has no rollout 5",
    );
  });

  it.each([
    ["in its token record", { tokens: 30, bodies: 0 }],
    ["between its tokens and its line", { tokens: Infinity, bodies: 0 }],
    ["in its line", { tokens: Infinity, bodies: 40 }],
  ])("are complete after a kill in the middle of a rollout, %s", async (_, written) => {
    const { fileSystem: whole } = await evaluated();
    const { fileSystem: cut } = { fileSystem: copyOf(whole) };
    const lines = new TextDecoder().decode(whole.files.get(BODIES)).split("\n");
    const kept = `${lines.slice(0, 2).join("\n")}\n`.length;
    const last: { tokenData: { offset: number }[] } = JSON.parse(lines[2] ?? "");
    const begin = last.tokenData[0]?.offset ?? 0;
    const end = JSON.parse(lines[3] ?? "").tokenData[0].offset;
    const cutTo = (path: string, length: number) =>
      cut.files.set(path, whole.files.get(path)?.slice(0, length) ?? new Uint8Array());
    cutTo(BODIES, kept + written.bodies);
    cutTo(TOKENS, Math.min(end, begin + written.tokens));
    for (const path of [...cut.files.keys()])
      if (path.endsWith("results.jsonl")) cut.files.delete(path);
    await repairTails(cut, FOLDER);
    expect(cut.files.get(TOKENS)).toHaveLength(begin);
    const { prompts } = await evaluated(cut);
    expect(prompts).toHaveLength(4);
    expect(cut.files.get(TOKENS)).toHaveLength(whole.files.get(TOKENS)?.length ?? 0);
    expect(await stored(cut)).toEqual(await stored(whole));
  });

  it("are moved away with rollouts that a resume repeats, and stay with those it keeps", async () => {
    const { fileSystem } = await evaluated();
    await supersedeFrom(fileSystem, { folder: FOLDER, attempt: 1, step: STEP });
    await repairTails(fileSystem, FOLDER);
    expect(await stored(fileSystem)).toHaveLength(4);
    await supersedeFrom(fileSystem, { folder: FOLDER, attempt: 1, step: STEP - 1 });
    const moved = `${FOLDER}/superseded/attempt-1/eval`;
    const names = [...fileSystem.files.keys()].filter((path) => path.includes("/eval/step-"));
    expect(names.sort()).toEqual([`${moved}/step-000010.jsonl`, `${moved}/step-000010.tokens.bin`]);
    await evaluated(fileSystem);
    expect(await stored(fileSystem)).toHaveLength(4);
  });

  it("do not mix between evaluations after the same step", async () => {
    const { fileSystem } = await evaluated();
    const before = await stored(fileSystem);
    await evaluated(fileSystem, { purpose: "end", model: { name: "other", path: null } });
    const both = await stored(fileSystem);
    expect(both).toHaveLength(8);
    expect(both.slice(0, 4)).toEqual(before);
  });
});
