import { describe, expect, it } from "vitest";
import { summarize } from "../../../webview-ui/charts/summary.ts";

const GAP = Number.NaN;
const of = (values: readonly number[]): string =>
  summarize(
    Float64Array.from(values),
    Float64Array.from(values, (_, step) => step),
  );

describe("a chart in words", () => {
  it("gives the latest known value, the best with its step from 1, and the trend", () => {
    expect(of([0, 0.1, 0.2, 0.5, 0.9, 0.8, GAP])).toBe(
      "Latest 0.800, best 0.900 at step 5, rising.",
    );
    expect(of([9, 8, 7, 3, 2, 1])).toContain("falling");
    expect(of([1, 2, 1, 2, 1, 2, 1, 2])).toContain("level");
  });

  it("speaks of no trend when little is known, and of nothing when nothing is", () => {
    expect(of([0.172, 0.14, 0.164])).toBe("Latest 0.164, best 0.172 at step 1.");
    expect(of([GAP])).toBe("");
  });
});
