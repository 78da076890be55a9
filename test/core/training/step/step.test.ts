import { describe, expect, it } from "vitest";
import type { Renderer } from "../../../../src/core/chat/renderer.ts";
import type { Config, EnvironmentConfig } from "../../../../src/core/config/fields/schema.ts";
import { updatePasses } from "../../../../src/core/config/rules/updateCost.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { rolloutSeed } from "../../../../src/core/rollout/seeds.ts";
import type { RolloutSettings } from "../../../../src/core/rollout/settings.ts";
import { stepPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { flattenMetrics } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { createRunReader } from "../../../../src/core/runFolder/reader.ts";
import { decodeTokenRecord } from "../../../../src/core/runFolder/rollouts/tokenRecord.ts";
import { usageEntries } from "../../../../src/core/runFolder/usageLog.ts";
import type { SamplingClient } from "../../../../src/core/tinker/samplingClient.ts";
import { addTokens, NO_RUN_USAGE, NO_TOKENS } from "../../../../src/core/usage/tokenUsage.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { sum } from "../../../../src/shared/mean.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import {
  call,
  encode,
  ended,
  renderer,
  scriptedSampler,
  tokenizer,
} from "../../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT, someSettings } from "../builders.ts";
import { aContext, type FakeContext, FOLDER, linesOf, PATHS } from "../fakeContext.ts";
import { resultOf } from "../fakeTrainingClient.ts";
import { runStep } from "../playedStep.ts";

interface StepScript {
  /** One per rollout, in the order in which they end; null means no reward. */
  readonly rewards?: readonly (number | null)[];
  readonly config?: Partial<Config>;
  readonly environment?: Partial<EnvironmentConfig>;
  readonly groups?: number;
  /** The error of every attempt to open a session. */
  readonly fault?: Error;
  /** The base model; by default the service has none. */
  readonly base?: SamplingClient;
  readonly setUp?: (context: FakeContext) => void;
}

async function run(script: StepScript = {}) {
  const { output, ...rest } = begin(script);
  return { ...rest, output: await output };
}

/** Plays and trains step 6 with groups of two, starting at task 0. */
function begin(script: StepScript = {}) {
  const { rewards = [1, 0], config, environment, groups = 1, fault, base, setUp } = script;
  let answers = 0;
  const onCall = () => result("", { reward: rewards[answers++] ?? null, finished: true });
  const environments = { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2, ...environment }) };
  const context = aContext({
    remote: scriptedEnvironment([fault ?? { onCall }]),
    config: aConfig({ environments, ...config }),
    totalSteps: 10,
    ...(base && { samplerForBase: async () => base }),
  });
  setUp?.(context);
  const sampler = scriptedSampler([ended(call("answer"))]);
  const usage = { ...NO_RUN_USAGE, cumulative: { ...NO_TOKENS, sampled: 100, trained: 100 } };
  const output = context.clock.run(runStep(context, { step: 6, groups, sampler, usage }));
  return { context, sampler, output };
}

const paths = stepPaths(FOLDER, 6);

/** The tokens of the step's update, from the usage log. */
async function usedFor({ fileSystem }: FakeContext) {
  let update = NO_TOKENS;
  for await (const entry of usageEntries(fileSystem, FOLDER)) {
    if (entry.for === "update") update = addTokens(update, entry.tokens);
  }
  return { update };
}

/** Lines of one kind from the step's index. */
function index(context: FakeContext, kind: string): readonly object[] {
  const lines = linesOf(context, paths.index).filter(isJsonObject);
  return lines.filter((line) => line["kind"] === kind);
}

describe("a step", () => {
  it("samples every rollout with its own seed", async () => {
    const { sampler } = await run({ rewards: [1, 0, 1, 0], groups: 2 });
    const taskKey = (task: number) => `${ENVIRONMENT}:train:${task}#${task}`;
    const expected = [0, 1].flatMap((task) =>
      [0, 1].map((rollout) => rolloutSeed(sha256, 42, { taskKey: taskKey(task), rollout }, 0)),
    );
    expect(sampler.requests.map(({ seed }) => seed)).toEqual(expected);
  });

  it("trains the rollouts in group order, with the advantages of their group", async () => {
    const { context } = await run({
      rewards: [1, 0, 0, 1],
      groups: 2,
      config: { advantage_calculation: "centered" },
    });
    const sent = context.client.lossCalls[0]?.data ?? [];
    const advantages = sent.map(({ lossInputs }) => lossInputs["advantages"]?.at(-1));
    expect(advantages).toEqual([0.5, -0.5, -0.5, 0.5]);
  });

  it.each<Partial<Config>>([
    {},
    { loss_fn: "ppo", num_substeps: 2 },
    { kl_coef: 0.1 },
    { off_policy_correction: "tis" },
    { loss_fn: "dro" },
    { loss_fn: "dro", num_substeps: 2, kl_coef: 0.1 },
    { loss_fn: "dro", off_policy_correction: "tis" },
    { loss_fn: "dro", off_policy_correction: "icepop", num_substeps: 2 },
    { num_passes: 3, kl_coef: 0.1 },
    { loss_fn: "dro", off_policy_correction: "tis", num_passes: 3, num_substeps: 2 },
  ])("makes as many passes over its data as the estimate assumes, with %o", async (config) => {
    const base = scriptedSampler([], { computeLogprobs: (tokens) => tokens.map(() => -0.5) });
    const { context, output } = await run({
      rewards: [1, 0, 0, 1, 1, 0, 0, 1],
      groups: 4,
      // The fake service's log-probabilities are far from its sampler's.
      config: { off_policy_correction_config: { ratio_low: 0, ratio_high: 9 }, ...config },
      base,
    });
    const data = context.client.lossCalls.filter(({ forwardOnly }) => !forwardOnly);
    const tokens = sum(data.flatMap((sent) => sent.data.map((datum) => datum.tokens.length)));
    const ofBase = sum(base.recomputed.map(({ length }) => length - 1));
    const { forward, trained } = updatePasses(aConfig(config));
    const forwarded = context.client.lossCalls.filter(({ forwardOnly }) => forwardOnly);
    const ofPolicy = sum(
      forwarded.flatMap((sent) => sent.data.map((datum) => datum.tokens.length)),
    );
    expect(ofPolicy + ofBase).toBe((forward * tokens) / trained);
    await context.storage.usage.flush();
    const { update } = await usedFor(context);
    const read = ofPolicy + sum(base.recomputed.map(({ length }) => length));
    expect(flattenMetrics(output.row)["tokens/forward"]).toBe(read === 0 ? undefined : read);
    expect(update.trained).toBe(tokens);
    expect(update.prefill_uncached).toBe(read);
  });

  it("counts each update of several passes, and shows the change until the last pass", async () => {
    const script: StepScript = { rewards: [1, 0, 0, 1], groups: 2 };
    const config = { num_passes: 3, num_substeps: 2 };
    const { output } = await run({ ...script, config });
    expect(output.row).toMatchObject({
      progress: { optim_updates: 12 },
      async: { staleness: { max: 0, last_update: 5 } },
      optim: {
        num_passes: 3,
        kl_sample_train_v1: expect.any(Number),
        last_pass: { kl_sample_train_v1: expect.any(Number), clip_frac_low: expect.any(Number) },
      },
    });
    const { output: single } = await run({ ...script, config: { num_substeps: 2 } });
    expect(flattenMetrics(single.row)).not.toHaveProperty(["optim/num_passes"]);
    expect(flattenMetrics(single.row)).not.toHaveProperty(["async/staleness/last_update"]);
  });

  it("stores the length penalty next to the advantage, if there is one", async () => {
    const penalties = async (overlong: Config["overlong"]) => {
      const limits = { max_response_tokens: 100, overlong_buffer: 100, overlong_penalty: 0.5 };
      const { context } = await run({ config: { overlong, ...limits } });
      return index(context, "scored").map((line) => ("penalty" in line ? line.penalty : null));
    };
    const [first] = await penalties("penalty");
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(0.5);
    expect(await penalties("train")).toEqual([null, null]);
  });

  it("trains with, stores, and reports the kl_coef penalty, also when the advantage is zero", async () => {
    // The sampler's log-probability is -0.5 for each token; the base model's is lower by 0.1 per position.
    const base = scriptedSampler([], {
      computeLogprobs: (tokens) => tokens.map((_, i) => (i === 0 ? null : -0.5 - i / 10)),
    });
    const { context, output } = await run({
      rewards: [1, 0, 0.5],
      environment: { num_rollouts: 3 },
      config: { advantage_calculation: "centered", kl_coef: 2 },
      base,
    });
    const sent = context.client.lossCalls[0]?.data ?? [];
    const [last = 0] = sent.map(({ tokens }) => tokens.length);
    expect(base.recomputed.map(({ length }) => length)).toEqual([last + 1, last + 1, last + 1]);
    // All wrote the same n tokens up to this position, so d ends at last / 10 and has mean (last - (n - 1) / 2) / 10.
    const count = output.rollouts[0]?.facts.turns[0]?.sampledTokens ?? 0;
    const mean = (last - (count - 1) / 2) / 10;
    expect(output.row["optim"]).toMatchObject({ kl_policy_base: expect.closeTo(mean, 5) });
    // The service counts one extra token for each sequence of a forward pass.
    expect(output.row["tokens"]).toMatchObject({ sampled: 3 * count + 3 });
    expect(context.progress.at(-1)).toMatchObject({
      kind: "step-finished",
      sampledTokens: 3 * count,
    });
    const advantages = sent.map(({ lossInputs }) => lossInputs["advantages"]?.at(-1));
    expect(advantages).toEqual(
      [0.5, -0.5, 0].map((own) => expect.closeTo(own + 2 * (mean - last / 10), 5)),
    );
    const stored = context.fileSystem.files.get(paths.tokens) ?? new Uint8Array();
    const record = decodeTokenRecord(stored);
    expect(record?.advantages[last]).toBe(advantages[0]);
  });

  it("weighs tokens by the log-probabilities of a forward pass, and the loss starts from those", async () => {
    const { context, output } = await run({
      config: { advantage_calculation: "centered", off_policy_correction: "tis" },
      setUp: ({ client }) => {
        // The sampler's log-probability is -0.5 for each token; for the trainer, tokens are e times as likely.
        client.answer = (call) => resultOf(call, call.forwardOnly ? 0.5 : 0.75);
      },
    });
    expect(context.client.calls).toEqual([
      "forward",
      "forwardBackward",
      "optimStep",
      "ephemeralSampler",
    ]);
    const [forward, update] = context.client.lossCalls;
    const sent = update?.data ?? [];
    expect(sent.map(({ lossInputs }) => lossInputs["advantages"]?.at(-1))).toEqual([1, -1]);
    expect(sent.map(({ lossInputs }) => lossInputs["logprobs"]?.at(-1))).toEqual([0.5, 0.5]);
    const tokens = sum(forward?.data.map((datum) => datum.tokens.length) ?? []);
    expect(output.row).toMatchObject({
      tokens: { forward: tokens, trained: tokens },
      // The loss clips at e^0.25, above 1.2; the record has the ratio to the sampler.
      optim: {
        off_policy_weight_mean: 2,
        off_policy_truncated_frac: 1,
        ratio_mean: expect.closeTo(Math.exp(1.25), 5),
        clip_frac_high: 0.5,
      },
    });
    const stored = context.fileSystem.files.get(paths.tokens) ?? new Uint8Array();
    expect(Array.from(decodeTokenRecord(stored)?.samplerLogprobs ?? []).at(-1)).toBe(-0.5);
  });

  it("assigns each second to one part of its time, matching its timeline", async () => {
    const { context, output } = await run({
      config: { off_policy_correction: "tis" },
      setUp: ({ client, clock }) => {
        const { forwardBackward, ephemeralSampler } = client;
        client.forwardBackward = async (...request) => {
          await clock.sleep(request[3]?.forwardOnly === true ? 2_000 : 5_000);
          return forwardBackward.apply(client, request);
        };
        client.ephemeralSampler = async () => {
          await clock.sleep(8_000);
          return ephemeralSampler.call(client);
        };
      },
    });
    expect(output.row["time"]).toMatchObject({
      rollout_s: 0,
      prepare_s: 2,
      train_s: 5,
      sampler_s: 3,
      total_s: 10,
    });
    expect(index(context, "phases")).toMatchObject([
      { phases: { takenMs: 0, submittedMs: 2_000, trainedMs: 7_000, savedMs: 10_000 } },
    ]);
  });

  it("leaves out what a correction masks: it is not trained, its tokens are discarded, and its divergence is counted", async () => {
    const { context, output } = await run({
      rewards: [1, 0, 0, 1],
      groups: 2,
      config: { advantage_calculation: "centered", off_policy_correction: "sequence_mask" },
      setUp: ({ client }) => {
        // The sampler's log-probability is -0.5 for each token; the trainer agrees only about the first and the last rollout.
        client.answer = (call) => {
          const { outputs, metrics } = resultOf(call, -0.5);
          const far = (i: number) => call.forwardOnly && (i === 1 || i === 2);
          return {
            outputs: outputs.map((own, i) => ({
              logprobs: far(i) ? own.logprobs.fill(-1) : own.logprobs,
            })),
            metrics,
          };
        };
      },
    });
    expect(context.client.lossCalls.at(-1)?.data).toHaveLength(2);
    expect(index(context, "scored")).toMatchObject([
      { advantage: 0.5, trainingUse: "trained" },
      { advantage: null, trainingUse: "excluded:off_policy_correction" },
      { advantage: null, trainingUse: "excluded:off_policy_correction" },
      { advantage: 0.5, trainingUse: "trained" },
    ]);
    expect(output.row).toMatchObject({
      num_rollouts: 2,
      num_groups: 2,
      optim: { off_policy_masked_frac: 0.5, logprob_diff_abs_mean: expect.closeTo(0.25, 9) },
    });
    const [, masked] = output.rollouts;
    const { sampled } = masked?.facts.usage.used ?? NO_TOKENS;
    expect(output.usage.discarded.sampled).toBe(2 * sampled);
  });

  it("measures how far the policy has moved even when a correction masks everything", async () => {
    const { context, output } = await run({
      config: { off_policy_correction: "sequence_mask" },
      setUp: ({ client, clock }) => {
        const { forwardBackward } = client;
        client.forwardBackward = async (...request) => {
          await clock.sleep(2_000);
          return forwardBackward.apply(client, request);
        };
        client.answer = (call) => resultOf(call, -2.5);
      },
    });
    expect(context.client.calls).toEqual(["forward"]);
    expect(output.row["time"]).toMatchObject({ prepare_s: 2, train_s: null, total_s: 2 });
    expect(output).toMatchObject({ isMasked: true, trained: null });
    expect(output.row).toMatchObject({
      skipped: true,
      num_rollouts: 0,
      num_groups: 0,
      group: { excluded: { off_policy_correction: 1 } },
      optim: { logprob_diff_abs_mean: 2 },
    });
  });

  it("is empty when rewards are equal and kl_coef finds the policy identical to the base model", async () => {
    const base = scriptedSampler([], {
      computeLogprobs: (tokens) => tokens.map((_, i) => (i === 0 ? null : -0.5)),
    });
    const { context, output } = await run({
      rewards: [1, 1],
      config: { zero_variance: "keep", kl_coef: 0.1 },
      base,
    });
    expect(context.client.calls).toEqual([]);
    expect(output).toMatchObject({ trained: null, isMasked: false });
    expect(output.row).toMatchObject({
      skipped: true,
      num_rollouts: 0,
      num_groups: 0,
      optim: { kl_policy_base: 0 },
    });
    expect(context.progress.at(-1)).toMatchObject({ trainedGroups: 0 });
  });

  it("stores bodies, scores, and tokens of its rollouts, and appends its row", async () => {
    const { context, output } = await run();
    expect(linesOf(context, paths.bodies)).toHaveLength(2);
    expect(index(context, "ended")).toHaveLength(2);
    expect(index(context, "tokens")).toHaveLength(2);
    expect(index(context, "phases")).toMatchObject([{ step: 6, phases: { pausedMs: 0 } }]);
    expect(index(context, "scored")).toMatchObject([
      { group: 0, rollout: 0, trainingUse: "trained" },
      { group: 0, rollout: 1, trainingUse: "trained" },
    ]);
    expect(linesOf(context, PATHS.metrics)).toEqual([output.row]);
  });

  it("reports its progress to watchers, in order", async () => {
    const { context } = await run();
    expect(context.progress.map(({ kind }) => kind)).toEqual([
      "step-started",
      "rollout-finished",
      "rollout-finished",
      "training",
      "step-finished",
    ]);
    expect(context.progress.at(-1)).toMatchObject({
      step: 6,
      rewardMean: 0.5,
      decidingReward: 0.5,
      trainedGroups: 1,
      groups: 1,
    });
  });

  it("trains nothing when no group can be used, but still has scores and a row", async () => {
    const { context, output } = await run({ rewards: [1, 1] });
    expect(output.trained).toBeNull();
    expect(context.client.calls).toEqual([]);
    expect(index(context, "scored")).toMatchObject([
      { advantage: null, trainingUse: "excluded:zero_variance" },
      { advantage: null, trainingUse: "excluded:zero_variance" },
    ]);
    expect(linesOf(context, PATHS.metrics)).toHaveLength(1);
  });

  it("trains a group without its failed rollout when that is allowed", async () => {
    const { context } = await run({
      rewards: [1, null],
      environment: { max_failing_rollouts: 1 },
      config: { advantage_calculation: "direct" },
    });
    expect(context.client.lossCalls[0]?.data).toHaveLength(1);
    expect(context.progress.at(-1)).toMatchObject({ rewardMean: 1, decidingReward: null });
    expect(index(context, "scored")).toMatchObject([
      { advantage: 1, trainingUse: "trained" },
      { advantage: null, trainingUse: "excluded:failed" },
    ]);
  });

  it("fails with a recorded stack when most rollouts fail from an unexpected error", async () => {
    const { context, output } = begin({ fault: new TypeError("x is not iterable") });
    await expect(output).rejects.toMatchObject({
      code: "rollout-bugs",
      message: expect.stringMatching(/^2 of 2 rollouts of step 7 .*x is not iterable.*resumed\.$/),
    });
    expect(context.recorded).toMatchObject([
      { kind: "rollout-bug", data: { stack: expect.stringContaining("step.test.ts") } },
    ]);
    expect(context.client.calls).toEqual([]);
  });
});

const ADD = ended(call("add", { a: 1 }));
/** The first rollout takes three turns, the second one. Its calls are written with spaces, so a rendering cannot continue them. */
const TURNS = [
  ADD,
  ended(call("add", { a: 2, b: 3 })),
  ended(call("answer", { reward: 1 })),
  ended(call("answer", { reward: 0 })),
];
const counts = TURNS.map((text) => encode(text).length);
const total = counts.reduce((sum, count) => sum + count, 0);

const refusing: Renderer = {
  ...renderer,
  bridge: () => {
    throw new AppError("chat-bridge", "This format cannot append.");
  },
};

/** Runs a step of one group of two rollouts, played in sequence, whose format cannot continue a turn. */
async function play(changes: Partial<Config> = {}, settings: Partial<RolloutSettings> = {}) {
  const onCall = ({
    name,
    args,
  }: {
    readonly name: string;
    readonly args: { readonly reward?: unknown };
  }) =>
    name === "answer" ? result("", { reward: Number(args.reward), finished: true }) : result("2");
  const context = aContext({
    remote: scriptedEnvironment([{ onCall }]),
    maxSessions: 1,
    chat: { renderer: refusing, tokenizer },
    settings: someSettings({ maxResponseTokens: 200, ...settings }),
    config: aConfig({
      environments: { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2 }) },
      advantage_calculation: "centered",
      ...changes,
    }),
  });
  const sampler = scriptedSampler(TURNS);
  const output = await context.clock.run(runStep(context, { sampler }));
  return { context, sampler, output };
}

describe("a rollout whose turns cannot be continued by appending", () => {
  it("is trained stream by stream, with one advantage and each sampled token once", async () => {
    const { context, sampler } = await play({ loss_normalization: "token_sum" });
    const data = context.client.lossCalls.flatMap(({ data: own }) => own);
    expect(data).toHaveLength(4);
    const sent = data.map(({ tokens, lossInputs }) => {
      const { target_tokens: targets, advantages } = lossInputs;
      const from = tokens.length - [...(advantages ?? [])].filter((one) => one !== 0).length;
      return {
        context: [...tokens.slice(0, from + 1)],
        sampled: [...(targets ?? []).slice(from)],
        advantages: [...new Set(advantages?.slice(from))],
      };
    });
    expect(sent.map(({ sampled }) => sampled)).toEqual(TURNS.map((text) => [...encode(text)]));
    expect(sent.map(({ context: own }) => own)).toEqual(
      sampler.requests.map(({ prompt }) => [...prompt]),
    );
    expect(sent.map(({ advantages }) => advantages)).toEqual([[0.5], [0.5], [0.5], [-0.5]]);
  });

  it.each([
    ["token_mean", [1 / total, 1 / total]],
    ["sequence_mean", [1 / (2 * (total - (counts[3] ?? 0))), 1 / (2 * (counts[3] ?? 0))]],
    ["group_mean", [1 / total, 1 / total]],
  ] as const)("counts the tokens of all its streams in %s", async (loss_normalization, factors) => {
    const { context } = await play({ loss_normalization });
    const [first, second, third, other] = context.client.lossCalls
      .flatMap(({ data }) => data)
      .map(({ lossInputs: { advantages } }) => Math.abs(advantages?.at(-1) ?? 0) / 0.5);
    for (const factor of [first, second, third]) expect(factor).toBeCloseTo(factors[0], 6);
    expect(other).toBeCloseTo(factors[1], 6);
  });

  it("has its breaks counted, and its streams stored separately", async () => {
    const { context, output } = await play();
    expect(output.row).toMatchObject({
      rollout: { stream_breaks: { max: 2, mean: 1 } },
    });
    const reader = createRunReader(context.fileSystem, FOLDER);
    const [broken, whole] = await reader.rollouts(0);
    if (broken === undefined) throw new Error("no rollout is stored");
    expect(broken.tokenData.map(({ stream }) => stream)).toEqual([0, 1, 2]);
    expect(whole?.tokenData.map(({ stream }) => stream)).toEqual([0]);
    const records = await Promise.all(
      broken.tokenData.map((entry) => reader.tokens(broken, entry)),
    );
    const turns = records.map((record) => new Set(Array.from(record?.turns ?? [])));
    expect(turns).toEqual([new Set([-1, 0]), new Set([-1, 1]), new Set([-1, 2])]);
    const lines = linesOf(context, stepPaths(FOLDER, 0).bodies);
    expect(lines[0]).toMatchObject({ turns: [{ stream: 0 }, { stream: 1 }, { stream: 2 }] });
  });

  it("is limited by max_total_tokens in each of its contexts, not in total", async () => {
    const { sampler } = await play();
    const lengths = sampler.requests.map(({ prompt }, i) => prompt.length + (counts[i] ?? 0));
    const longest = Math.max(...lengths);
    const { output } = await play({}, { maxTotalTokens: longest });
    expect(output.rollouts.map(({ record }) => record.stop)).toEqual([
      "reached_terminal_state",
      "reached_terminal_state",
    ]);
    // The context after the first turn leaves no room for another one.
    const second = sampler.requests[1]?.prompt.length ?? 0;
    const cut = await play({}, { maxTotalTokens: second });
    const [first] = cut.output.rollouts;
    // A batch is trained without the texts that were stored.
    const [stored] = linesOf(cut.context, stepPaths(FOLDER, 0).bodies);
    expect(stored).toMatchObject({ stop: "max_tokens", turns: [{ stream: 0 }] });
    expect(first?.facts.streamBreaks).toBe(0);
  });
});
