import { describe, expect, it } from "vitest";
import {
  budgetShares,
  earlyEnd,
  stepsWithinBudget,
} from "../../../../src/core/training/run/budgets.ts";
import { NO_RUN_USAGE } from "../../../../src/core/usage/tokenUsage.ts";
import { aConfig } from "../builders.ts";

const PRICES = { sampled: 1, prefill_cached: 1, prefill_uncached: 1, trained: 1 };
const TOKENS = { sampled: 400, prefill_cached: 100, prefill_uncached: 200, trained: 300 };
const usage = { ...NO_RUN_USAGE, cumulative: TOKENS, evaluation: { ...TOKENS, trained: 0 } };
const NOTHING = { rewards: [], heldOutLosses: [] };
const spent = { steps: 4, usage, prices: PRICES, seconds: 1800, stage: null };

describe("a budget", () => {
  it("counts all kinds of tokens, including evaluations, and the time of all attempts", () => {
    const budgets = { max_tokens_total: 3_400, max_cost_usd: 0.0034, max_hours: 2 };
    const shares = budgetShares(aConfig(budgets), spent);
    expect(shares).toEqual({ tokens_frac: 0.5, cost_frac: 0.5, hours_frac: 0.25 });
    expect(budgetShares(aConfig(), spent)).toEqual({});
  });

  it.each([
    [{ max_tokens_total: 1_700 }, "token-budget", /max_tokens_total/],
    [{ max_cost_usd: 0.0017 }, "cost-budget", /max_cost_usd: \$0\.00170/],
    [{ max_hours: 0.5 }, "time-budget", /max_hours/],
  ])("of %o ends the run once it is used up", (budget, code, words) => {
    const end = earlyEnd(aConfig(budget), spent, NOTHING);
    expect(end).toMatchObject({ code, message: expect.stringMatching(words) });
    const [[key = "", limit = 0] = []] = Object.entries(budget);
    expect(earlyEnd(aConfig({ [key]: 1.01 * limit }), spent, NOTHING)).toBeNull();
  });

  it("of a stage is reported as its part, and is raised in the file", () => {
    const end = earlyEnd(aConfig({ max_hours: 0.5 }), { ...spent, stage: "imitate" }, NOTHING);
    expect(end?.message).toBe(
      "Stage imitate has used up its part of the budget (max_hours: 0.5). It is saved: train the file again with a higher max_hours.",
    );
  });

  it("has no effect on stop_at_step, which counts completed steps", () => {
    const end = (steps: number) =>
      earlyEnd(aConfig({ stop_at_step: 5 }), { ...spent, steps }, NOTHING);
    expect(end(4)).toBeNull();
    expect(end(5)).toMatchObject({
      code: "stop-at-step",
      message:
        "The run has stopped after step 5, because stop_at_step is 5. It is saved, and a resume continues it.",
    });
  });

  it("of time, and a reached target, come before stop_at_step", () => {
    const config = aConfig({ stop_at_step: 1, target_reward: { reward: 0.5, steps: 1 } });
    const end = earlyEnd(config, { ...spent, steps: 1 }, { ...NOTHING, rewards: [0.5] });
    expect(end?.code).toBe("target-reached");
    const timed = aConfig({ stop_at_step: 1, max_hours: 0.5 });
    expect(earlyEnd(timed, spent, NOTHING)?.code).toBe("time-budget");
  });

  it("in USD has no effect without known prices", () => {
    const config = aConfig({ max_cost_usd: 0.0001 });
    expect(earlyEnd(config, { ...spent, prices: null }, NOTHING)).toBeNull();
  });
});

describe("the number of steps sampled ahead within a budget", () => {
  // 1,000 tokens in 2 steps, and 700 for evaluations.
  const completed = { steps: 2, tokens: TOKENS };
  const steps = (limits: Parameters<typeof aConfig>[0], of = completed): number =>
    stepsWithinBudget(aConfig(limits), spent, of);

  it("covers the steps that fit at the mean cost of a step", () => {
    expect(steps({ max_tokens_total: 1_700 + 1 })).toBe(1);
    expect(steps({ max_tokens_total: 1_700 + 500 })).toBe(1);
    expect(steps({ max_tokens_total: 1_700 + 501 })).toBe(2);
    expect(steps({ max_cost_usd: 0.0017 + 0.0018 })).toBe(4);
    expect(steps({ max_cost_usd: 0.0017 + 0.0018, max_tokens_total: 1_701 })).toBe(1);
  });

  it("is zero once everything is used, including what was sampled ahead", () => {
    const usage = { ...spent.usage, cumulative: { ...TOKENS, sampled: 1_000 } };
    const config = aConfig({ max_tokens_total: 2_300 });
    expect(stepsWithinBudget(config, spent, completed)).toBe(2);
    expect(stepsWithinBudget(config, { ...spent, usage }, completed)).toBe(0);
  });

  it("ends at stop_at_step", () => {
    expect(steps({ stop_at_step: 5 })).toBe(3);
    expect(steps({ stop_at_step: 5, max_tokens_total: 1_701 })).toBe(1);
  });

  it("is one until a step has shown its cost, and all without a budget", () => {
    expect(steps({ max_tokens_total: 10_000 }, { ...completed, steps: 0 })).toBe(1);
    expect(steps({ max_hours: 1 })).toBe(Number.POSITIVE_INFINITY);
    const unpriced = { ...spent, prices: null };
    expect(stepsWithinBudget(aConfig({ max_cost_usd: 1 }), unpriced, completed)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe("a target", () => {
  const config = aConfig({ target_reward: { reward: 0.5, steps: 3 } });
  const isReached = (...rewards: readonly (number | null)[]): boolean =>
    earlyEnd(config, spent, { rewards, heldOutLosses: [] }) !== null;

  it("is reached by the mean of the last steps", () => {
    expect(isReached(0, 0.25, 0.5, 0.75)).toBe(true);
    expect(isReached(1, 1, 0.25, 0.5, 0.7)).toBe(false);
    expect(earlyEnd(config, spent, { rewards: [0.5, 0.5, 0.5], heldOutLosses: [] })?.code).toBe(
      "target-reached",
    );
  });

  it("needs all of its steps, each with a reward", () => {
    expect(isReached(1, 1)).toBe(false);
    expect(isReached(1, 1, null)).toBe(false);
  });
});

describe("ending without progress", () => {
  const heldOutLosses: readonly null[] = [];

  it("happens a given number of steps after the best mean of five", () => {
    const config = aConfig({ end_without_progress: 3 });
    const rising = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    const isEnd = (rewards: readonly (number | null)[]) =>
      earlyEnd(config, spent, { rewards, heldOutLosses }) !== null;
    expect(isEnd(rising)).toBe(false);
    expect(isEnd([...rising, 0, 0])).toBe(false);
    const results = { rewards: [...rising, 0, null, 0], heldOutLosses };
    const end = earlyEnd(config, spent, results);
    expect(end).toMatchObject({
      code: "no-progress",
      message: expect.stringMatching(/highest after step 7/),
    });
  });

  it("uses the held-out loss of a supervised run, which is not measured at every step", () => {
    const config = aConfig({ method: "sft", end_without_progress: 4 });
    const losses = [2, null, 1, null, null, 1.5];
    const of = (heldOutLosses: readonly (number | null)[]) =>
      earlyEnd(config, spent, { rewards: heldOutLosses.map(() => null), heldOutLosses })?.code;
    expect(of(losses)).toBeUndefined();
    expect(of([...losses, null])).toBe("no-progress");
    expect(of([...losses, 0.9])).toBeUndefined();
    expect(of([null, null, null, null, null])).toBeUndefined();
  });
});
