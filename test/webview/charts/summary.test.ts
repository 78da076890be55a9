import { describe, expect, it } from "vitest";
import { summarize, summarizeReward } from "../../../webview-ui/charts/summary.ts";

const GAP = Number.NaN;

function series(values: readonly number[]) {
  return {
    values: Float64Array.from(values),
    steps: Float64Array.from(values, (_, step) => step),
  };
}

function behind(count: number, scored: readonly number[] = []) {
  return {
    groups: new Float64Array(count).fill(8),
    groupStd: new Float64Array(count).fill(0.1),
    scored: Float64Array.from({ length: count }, (_, row) => scored[row] ?? 1),
  };
}

describe("a chart in words", () => {
  it("gives the latest known value, the highest with its step from 1, and the trend", () => {
    const rising = Array.from({ length: 12 }, (_, step) => step / 10);
    expect(summarize(series([...rising, GAP]))).toBe(
      "Latest 1.10, highest 1.10 at step 12, rising.",
    );
    expect(summarize(series([0.172, 0.14, 0.164]))).toBe(
      "Latest 0.164, highest 0.172 at step 1, too early to tell.",
    );
  });

  it("says of a reward how it moved, and over how many groups it is too early to tell", () => {
    const collapsed = [0.2, 0.33, 0.46, 0.59, 0.72, 0.65, 0.58, 0.51, 0.44, 0.37, 0.3, 0.23];
    expect(summarizeReward(series(collapsed), behind(12))).toBe(
      "Falling since step 5: was 0.72, now 0.23. Latest 0.23, best 0.61 over 5 steps until step 8.",
    );
    expect(summarizeReward(series([0.1, GAP, 0.2]), behind(3))).toContain(
      "Too early to tell (16 groups).",
    );
  });

  it("calls best what the table of runs does: no single step, and none with many failures", () => {
    const lucky = series([0.5, 0.5, 1, 0.5, 0.5, 0.5]);
    expect(summarizeReward(lucky, behind(6))).toContain(
      "Latest 0.50, best 0.60 over 5 steps until step 5.",
    );
    expect(summarizeReward(lucky, behind(6, [1, 1, 0.5]))).toContain(
      "best 0.50 over 5 steps until step 6.",
    );
    expect(summarizeReward(series([0.5]), behind(1))).toContain(
      "Latest 0.50, best 0.50 at step 1.",
    );
    expect(summarizeReward(series([0.5]), behind(1, [0.5]))).toMatch(/ Latest 0\.50\.$/);
  });

  it("is empty without values", () => {
    expect(summarize(series([GAP]))).toBe("");
    expect(summarizeReward(series([]), behind(0))).toBe("");
  });
});
