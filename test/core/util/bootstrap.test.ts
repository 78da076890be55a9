import { describe, expect, it } from "vitest";
import { bootstrapMean } from "../../../src/core/util/bootstrap.ts";
import { createUniform } from "../../../src/core/util/uniform.ts";

describe("the bootstrap interval of a mean", () => {
  it("has the quantiles of all resamples, where these can be counted", () => {
    // Two values: means 0, 0.5 and 1 with chances 1/4, 1/2, 1/4.
    expect(bootstrapMean([0, 1], 1)).toEqual({ mean: 0.5, low: 0, high: 1 });
    // Number of ones among five draws: at least 3 with chance 0.0579, at least 4 with 0.0067.
    expect(bootstrapMean([0, 0, 0, 0, 1], 1)).toEqual({ mean: 0.2, low: 0, high: 0.6 });
    // One of three: none with chance 8/27, three of them with 1/27.
    expect(bootstrapMean([0, 0, 3], 1)).toEqual({ mean: 1, low: 0, high: 3 });
  });

  it("is a point where nothing varies", () => {
    expect(bootstrapMean([0.25, 0.25, 0.25], 3)).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
    expect(bootstrapMean([0.3], 3)).toEqual({ mean: 0.3, low: 0.3, high: 0.3 });
    expect(bootstrapMean([], 3)).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it("follows from the seed", () => {
    const uniform = createUniform(5);
    const values = Array.from({ length: 50 }, () => uniform());
    expect(bootstrapMean(values, 7)).toEqual(bootstrapMean(values, 7));
    expect(bootstrapMean(values, 7)).not.toEqual(bootstrapMean(values, 8));
  });

  it("is as wide as the normal approximation where that holds", () => {
    const values = Array.from({ length: 400 }, (_, i) => i % 2);
    const { low, high } = bootstrapMean(values, 11);
    const width = (2 * 1.96 * 0.5) / Math.sqrt(400);
    expect((high - low) / width).toBeGreaterThan(0.9);
    expect((high - low) / width).toBeLessThan(1.1);
  });
});
