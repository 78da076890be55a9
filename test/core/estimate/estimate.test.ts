import { describe, expect, it } from "vitest";
import type { Basis, MeasuredRollout, PlayedGroup } from "../../../src/core/estimate/basis.ts";
import { estimateRun } from "../../../src/core/estimate/estimate.ts";
import type { EstimatePlan } from "../../../src/core/estimate/plan.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { aPlan } from "./aPlan.ts";

const PRICES = { sampled: 4, prefill_cached: 1, prefill_uncached: 2, trained: 3 };

/** Two rollouts of 10 and 30 sampled tokens after prompts of 100, averaging 60 tokens of data, with no information about rewards. */
function group(
  environment: string,
  trainedFraction = 1,
  times = 1,
  passedFraction = trainedFraction,
): PlayedGroup {
  const rollout = (sampled: number, data: number) => ({
    tokens: { ...NO_TOKENS, sampled: sampled * times, prefill_uncached: 100 * times },
    data: data * times,
    isTrained: trainedFraction > 0,
    reward: null,
  });
  const rollouts = [rollout(10, 40), rollout(30, 80)];
  return { environment, trainedFraction, passedFraction, rollouts };
}

const basisOf = (...groups: readonly PlayedGroup[]): Basis => ({
  groups,
  evaluated: [],
  times: [],
  serverCheck: { ...NO_TOKENS, sampled: 1 },
  isForwardOnly: false,
});

const PLAN = aPlan();

describe("the estimate of a run", () => {
  it("multiplies the cost per rollout by the planned rollouts, and applies prices", () => {
    const { tokens, totalTokens, costUsd, hours } = estimateRun(
      basisOf(group("a"), group("a")),
      PLAN,
      PRICES,
    );
    expect(tokens.sampled.mean).toBe(80 * 20 + 1);
    expect(tokens.prefill_uncached.mean).toBe(80 * 100);
    expect(tokens.trained.mean).toBe(80 * 60);
    expect(totalTokens.mean).toBe(1601 + 8000 + 4800);
    expect(costUsd?.mean).toBeCloseTo((1601 * 4 + 8000 * 2 + 4800 * 3) / 1e6, 12);
    expect(hours).toBeNull();
  });

  it("has a range around the value that narrows with the number of groups", () => {
    const few = estimateRun(basisOf(group("a"), group("a")), PLAN, null).tokens.sampled;
    const many = Array.from({ length: 40 }, () => group("a"));
    const { sampled } = estimateRun(basisOf(...many), PLAN, null).tokens;
    for (const { low, mean, high } of [few, sampled]) {
      expect(low).toBeLessThan(mean);
      expect(mean).toBeLessThan(high);
    }
    expect(sampled.high - sampled.low).toBeLessThan((few.high - few.low) / 2);
  });

  it("widens for a changing model when only its first weights have played", () => {
    const groups = Array.from({ length: 40 }, () => group("a"));
    const trained = estimateRun(basisOf(...groups), PLAN, null).tokens.sampled;
    const dry = estimateRun({ ...basisOf(...groups), isForwardOnly: true }, PLAN, null);
    expect(dry.tokens.sampled.mean).toBe(trained.mean);
    expect(dry.tokens.sampled.high).toBeGreaterThan(trained.mean * 1.3);
  });

  it("counts forward passes by data, and evaluations separately", () => {
    const rollouts = [{ environment: "a", temperature: 1, count: 5 }];
    const evaluations = { count: 3, afterLastStep: 1, rollouts };
    const plan = { ...PLAN, passes: { forward: 2, trained: 1 }, evaluations };
    const { tokens, evaluationTokens } = estimateRun(basisOf(group("a")), plan, null);
    expect(tokens.prefill_uncached.mean).toBe(80 * 100 + 2 * 4800 + 15 * 100);
    expect(evaluationTokens.mean).toBe(15 * 120);
  });

  it("takes evaluations from those of the past run: the same environment, if possible at the same temperature", () => {
    const evaluated = (temperature: number, sampled: number) => {
      return { environment: "held-out", temperature, tokens: { ...NO_TOKENS, sampled } };
    };
    const past = [evaluated(0, 10), evaluated(1, 30), evaluated(1, 50)];
    const basis = { ...basisOf(group("a")), evaluated: past };
    const tokensOf = (environment: string, temperature: number) => {
      const rollouts = [{ environment, temperature, count: 4 }];
      const plan = { ...PLAN, evaluations: { count: 2, afterLastStep: 1, rollouts } };
      const { evaluationTokens, unplayed } = estimateRun(basis, plan, null);
      return [evaluationTokens.mean, unplayed];
    };
    expect(tokensOf("held-out", 0)).toEqual([8 * 10, []]);
    expect(tokensOf("held-out", 1)).toEqual([8 * 40, []]);
    expect(tokensOf("held-out", 0.5)).toEqual([8 * 30, []]);
    expect(tokensOf("a", 1)).toEqual([8 * 120, []]);
    expect(tokensOf("other", 1)).toEqual([8 * 120, ["other"]]);
  });

  it("trains on data as long as that of the past run's trained rollouts", () => {
    const [short, long] = group("a").rollouts as [MeasuredRollout, MeasuredRollout];
    const half = {
      ...group("a", 0.5),
      rollouts: [short, { ...long, isTrained: false }],
    };
    expect(estimateRun(basisOf(half), PLAN, null).tokens.trained.mean).toBeCloseTo(40 * 40, 6);
    const dry = { ...basisOf(half), isForwardOnly: true };
    expect(estimateRun(dry, PLAN, null).tokens.trained.mean).toBeCloseTo(40 * 60, 6);
  });

  it("trains on the observed share when rewards are unknown", () => {
    const half = estimateRun(basisOf(group("a"), group("a", 0)), PLAN, null);
    expect(half.tokens.trained.mean).toBeCloseTo(80 * 60 * 0.5, 6);
  });

  it("counts forward passes for rollouts masked after them, without replacing their groups", () => {
    const plan = { ...PLAN, mostBatches: 9, passes: { forward: 1, trained: 1 } };
    const masked = estimateRun(basisOf(group("a", 0.25, 1, 1)), plan, null);
    expect(masked.tokens.sampled.mean).toBe(80 * 20 + 1);
    expect(masked.tokens.prefill_uncached.mean).toBe(80 * 100 + 4800);
    expect(masked.tokens.trained.mean).toBeCloseTo(0.25 * 4800, 6);
  });

  it("treats only rewards that differ by rounding as equal", () => {
    const trainedOn = (other: number): number => {
      const { rollouts } = group("a");
      const played = rollouts.map((each, i) => ({ ...each, reward: i === 0 ? 0.3 : other }));
      const equal = { ...group("a", 0), rollouts: played };
      return estimateRun(basisOf(equal, equal), PLAN, null).tokens.trained.mean;
    };
    expect(trainedOn(0.1 + 0.2)).toBe(trainedOn(0.3));
  });

  it("includes extra groups with refill, within the limits and the data", () => {
    const basis = basisOf(group("a"), group("a", 0), group("a", 0), group("a", 0));
    const sampledWith = (plan: Partial<EstimatePlan>): number =>
      estimateRun(basis, { ...PLAN, ...plan }, null).tokens.sampled.mean - 1;
    expect(sampledWith({ mostBatches: 9 })).toBeCloseTo(4 * 1600, 6);
    expect(sampledWith({ mostBatches: 3 })).toBeCloseTo(3 * 1600, 6);
    expect(sampledWith({ mostBatches: 9, groupsInData: 30 })).toBeCloseTo(1.5 * 1600, 6);
  });

  it("keeps environments separate, and names those that were not played", () => {
    const environments = ["a", "b", "c"].map((name) => ({ name, groups: 1, rollouts: 2 }));
    const basis = basisOf(group("a"), group("b", 1, 3));
    const { tokens, unplayed } = estimateRun(basis, { ...PLAN, environments }, null);
    expect(tokens.sampled.mean).toBe(1 + 40 + 120 + 80);
    expect(unplayed).toEqual(["c"]);
  });

  it("covers one step of a run without an end", () => {
    const { steps } = estimateRun(basisOf(group("a")), { ...PLAN, steps: null }, null);
    expect(steps).toBe(1);
  });
});

describe("the hours of a run", () => {
  const time = { rollouts: 8, rolloutS: 4, trainS: 2, totalS: 7 };
  const hoursOf = (basis: Partial<Basis>, plan: Partial<EstimatePlan>) => {
    const whole = { ...basisOf(group("a")), times: [time], ...basis };
    const hours = estimateRun(whole, { ...PLAN, ...plan }, null).hours;
    return hours === null ? null : [hours.low * 3600, hours.high * 3600].map(Math.round);
  };

  it("are those of the played steps if the planned steps are the same size", () => {
    expect(hoursOf({}, {})).toEqual([70, 70]);
  });

  it("range from fully parallel to fully sequential for larger steps", () => {
    const environments = [{ name: "a", groups: 40, rollouts: 4 }];
    expect(hoursOf({}, { environments, atOnce: 16 })).toEqual([70, 130]);
    expect(hoursOf({}, { environments, atOnce: 8 })).toEqual([110, 130]);
  });

  it("exclude training when it overlaps with sampling", () => {
    expect(hoursOf({}, { isAhead: true })).toEqual([50, 50]);
  });

  it("include a gradient after a forward pass, and evaluations", () => {
    expect(hoursOf({ isForwardOnly: true }, {})).toEqual([70, 110]);
    const rollouts = [{ environment: "a", temperature: 1, count: 16 }];
    const evaluations = { count: 2, afterLastStep: 1, rollouts };
    expect(hoursOf({}, { evaluations })).toEqual([86, 86]);
  });
});
