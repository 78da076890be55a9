import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { histogram } from "../../../../webview-ui/views/charts/histogram.tsx";

describe("the histogram of rewards", () => {
  it("counts every value once", () => {
    const reward = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(fc.array(reward), (rewards) => {
        const bins = histogram(rewards);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(rewards.length);
        expect(bins.length).toBeLessThanOrEqual(12);
      }),
    );
  });

  it("gives a value its own bin when there are few", () => {
    expect(histogram([1, 0, 1, 0.5])).toEqual([
      { low: 0, high: 0, count: 1 },
      { low: 0.5, high: 0.5, count: 1 },
      { low: 1, high: 1, count: 2 },
    ]);
  });
});
