import { describe, expect, it } from "vitest";
import { decidingReward, withStepReward } from "../../../../src/core/runFolder/metrics/trendMetrics.ts";
import { NO_BEST } from "../../../../src/shared/bestReward.ts";

const row = (step: number, mean: number, scored_frac = 1) => ({
  step,
  rollout: { reward: { mean }, scored_frac },
});

function best(rewards: readonly number[]) {
  return rewards.reduce((before, mean, step) => withStepReward(before, row(step, mean)), NO_BEST)
    .best;
}

describe("the reward of a step", () => {
  it("decides something where at least 90 % of the rollouts are scored, and in rows that do not say", () => {
    expect(decidingReward(row(0, 0.5, 0.9))).toBe(0.5);
    expect(decidingReward(row(0, 0.5, 0.89))).toBeNull();
    expect(decidingReward({ step: 0, rollout: { reward: { mean: 0.5 } } })).toBe(0.5);
  });
});

describe("the best reward of a run", () => {
  it("is the highest mean over five steps in a row, so one lucky step does not count", () => {
    expect(best([0, 0, 1, 0, 0, 0.4, 0.4, 0.4, 0.4, 0.4, 0])).toEqual({
      value: expect.closeTo(0.4, 12),
      step: 10,
    });
  });

  it("is the mean of all steps in a shorter run", () => {
    expect(best([1, 0])).toEqual({ value: 0.5, step: 2 });
    expect(best([])).toBeNull();
  });

  it("leaves out steps with too many failed rollouts", () => {
    const poor = withStepReward(NO_BEST, row(0, 1, 0.5));
    expect(poor).toBe(NO_BEST);
  });
});
