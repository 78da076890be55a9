import { describe, expect, it } from "vitest";
import { MetricColumns } from "../../../../src/core/runFolder/metrics/metricColumns.ts";
import { metricAt } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import {
  rewardPoint,
  storedTrend,
  trendMetrics,
  trendOfColumns,
  withStepReward,
} from "../../../../src/core/runFolder/metrics/trendMetrics.ts";
import { NO_BEST } from "../../../../src/shared/bestReward.ts";
import type { Trend } from "../../../../src/shared/trend.ts";

const FALLING: Trend = {
  direction: "falling",
  since: 4,
  steps: 20,
  was: 0.72,
  now: 0.23,
  slope: -0.03,
  slopeError: 0.002,
};

it.each([
  FALLING,
  { ...FALLING, direction: "flat" },
  { ...FALLING, direction: "rising" },
  { direction: "unclear", steps: 4, groups: 32 },
  { direction: "unclear", steps: 4, groups: null },
] as const)("a trend is restored from its row: %j", (trend) => {
  const row = { step: 24, trend: trendMetrics(trend) };
  expect(storedTrend((name) => metricAt(row, name))).toEqual(trend);
});

it("rows without a stored trend yield one together", () => {
  const metrics = new MetricColumns();
  expect(trendOfColumns(metrics)).toBeNull();
  const rows = Array.from({ length: 30 }, (_, step) => {
    return { step, rollout: { reward: { mean: step / 40 } } };
  });
  for (const row of rows) metrics.add(row);
  expect(storedTrend((name) => metrics.latest(name))).toBeNull();
  expect(trendOfColumns(metrics)).toMatchObject({ direction: "rising", since: 0, steps: 30 });
});

it("a row contributes its scored rollouts' mean, with an error from its groups if known", () => {
  expect(rewardPoint({ step: 3 })).toBeNull();
  const reward = { mean: 0.5, group_std: 0.2 };
  expect(rewardPoint({ step: 3, rollout: { reward } })).toEqual({ step: 3, value: 0.5 });
  const group = { size: { count: 64 } };
  const known = { step: 3, value: 0.5, groups: 16, error: 0.05 };
  const counted = { ...reward, groups: 16 };
  expect(rewardPoint({ step: 3, rollout: { reward: counted }, group })).toEqual(known);
});

it("a row with fewer than 90% scored rollouts is ignored, since failures may hide in the rest", () => {
  const row = (scored_frac: number) => ({
    step: 3,
    rollout: { reward: { mean: 0.5 }, scored_frac },
  });
  expect(rewardPoint(row(0.89))).toBeNull();
  expect(rewardPoint(row(0.9))).toEqual({ step: 3, value: 0.5 });
});

const row = (step: number, mean: number, scored_frac = 1) => ({
  step,
  rollout: { reward: { mean }, scored_frac },
});

function best(rewards: readonly number[]) {
  return rewards.reduce((before, mean, step) => withStepReward(before, row(step, mean)), NO_BEST)
    .best;
}

describe("the best reward of a run", () => {
  it("is the highest mean over five consecutive steps, so that one lucky step does not count", () => {
    expect(best([0, 0, 1, 0, 0, 0.4, 0.4, 0.4, 0.4, 0.4, 0])).toEqual({
      value: expect.closeTo(0.4, 12),
      step: 10,
    });
  });

  it("is the mean of all steps in a shorter run", () => {
    expect(best([1, 0])).toEqual({ value: 0.5, step: 2 });
    expect(best([])).toBeNull();
  });

  it("ignores steps with too many failed rollouts", () => {
    const poor = withStepReward(NO_BEST, row(0, 1, 0.5));
    expect(poor).toBe(NO_BEST);
  });
});
