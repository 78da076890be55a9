import { describe, expect, it } from "vitest";
import {
  areEnoughScored,
  areEqualRewards,
  failureReward,
  isFailed,
  isSuccess,
} from "../../../../src/core/runFolder/metrics/outcomes.ts";

describe("the outcome of a rollout", () => {
  it("is a failure without a reward, and then never a success", () => {
    expect(isFailed({ reward: null })).toBe(true);
    expect(isFailed({ reward: 0 })).toBe(false);
    expect(isSuccess({ reward: null }, -1)).toBe(false);
  });

  it("is a success at or above the success reward, with a tolerance for rounding", () => {
    expect(isSuccess({ reward: 0.1 + 0.2 + 0.7 }, 1)).toBe(true);
    expect(isSuccess({ reward: 0.99 }, 1)).toBe(false);
  });

  it("equals another one up to rounding", () => {
    expect(areEqualRewards([0.1 + 0.2, 0.3])).toBe(true);
    expect(areEqualRewards([0, 1e-7])).toBe(true);
    expect(areEqualRewards([1])).toBe(true);
    expect(areEqualRewards([])).toBe(true);
    expect(areEqualRewards([0, 0, 1e-6])).toBe(false);
  });

  it("is decisive if at least 90% of the rollouts are scored", () => {
    expect(areEnoughScored(9, 10)).toBe(true);
    expect(areEnoughScored(89, 100)).toBe(false);
    expect(areEnoughScored(0, 0)).toBe(false);
  });

  it("counts a failure as the smaller of 0 and the lowest reward", () => {
    expect(failureReward([{ reward: 0.5 }, { reward: null }])).toBe(0);
    expect(failureReward([{ reward: -0.4 }, { reward: 1 }])).toBe(-0.4);
  });
});
