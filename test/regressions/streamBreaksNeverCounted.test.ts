import { describe, expect, it } from "vitest";
import type { Renderer } from "../../src/core/chat/renderer.ts";
import type { Config } from "../../src/core/config/fields/schema.ts";
import { AppError } from "../../src/core/errors.ts";
import type { RolloutSettings } from "../../src/core/rollout/settings.ts";
import { stepPaths } from "../../src/core/runFolder/files/layout.ts";
import { createRunReader } from "../../src/core/runFolder/reader.ts";
import { RunAlarms } from "../../src/core/training/step/alarms.ts";
import { runStep } from "../../src/core/training/step/step.ts";
import { NO_RUN_USAGE } from "../../src/core/usage/tokenUsage.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import {
  call,
  encode,
  ended,
  renderer,
  scriptedSampler,
  tokenizer,
} from "../core/rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT, someSettings } from "../core/training/builders.ts";
import { aContext, FOLDER, linesOf } from "../core/training/fakeContext.ts";
import { issued } from "../core/training/playedStep.ts";

const ADD = ended(call("add", { a: 1 }));
/** The first rollout takes three turns, the second one. The template writes calls with blanks, so that a rendering does not continue such a turn. */
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

/** A step of one group of two rollouts, one after the other, whose format cannot continue a turn. */
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
  const output = await context.clock.run(
    runStep(context, {
      step: 0,
      take: issued(context, { step: 0, items: [context.sequence.itemAt(0)], sampler, updates: 0 }),
      saveSampler: () => context.services.client.ephemeralSampler(),
      cursor: 1,
      optimizerUpdates: 0,
      usage: NO_RUN_USAGE,
      secondsUntilNow: () => 0,
      elapsedS: [],
      extra: {},
      alarms: new RunAlarms(),
    }),
  );
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

  it("has its breaks counted, and its streams stored one by one", async () => {
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

  it("is bounded by max_total_tokens in each of its contexts, not in all together", async () => {
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
    // A batch is trained without the texts that were written down.
    const [stored] = linesOf(cut.context, stepPaths(FOLDER, 0).bodies);
    expect(stored).toMatchObject({ stop: "max_tokens", turns: [{ stream: 0 }] });
    expect(first?.facts.streamBreaks).toBe(0);
  });
});
