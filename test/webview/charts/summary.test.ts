import { describe, expect, it } from "vitest";
import { summarize, summarizeReward } from "../../../webview-ui/charts/summary.ts";

const GAP = Number.NaN;

function series(values: readonly number[]) {
  return {
    values: Float64Array.from(values),
    steps: Float64Array.from(values, (_, step) => step),
  };
}

function points(values: readonly number[]) {
  return values.flatMap((value, step) =>
    Number.isNaN(value) ? [] : { step, value, groups: 8, error: 0.035 },
  );
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
    expect(summarizeReward(series(collapsed), points(collapsed))).toBe(
      "Falling since step 5: was 0.72, now 0.23. Latest 0.23, best 0.61 over 5 steps until step 8.",
    );
    const few = [0.1, GAP, 0.2];
    expect(summarizeReward(series(few), points(few))).toContain("Too early to tell (16 groups).");
  });

  it("calls best what the table of runs does: no single step, and none with many failures", () => {
    const lucky = [0.5, 0.5, 1, 0.5, 0.5, 0.5];
    expect(summarizeReward(series(lucky), points(lucky))).toContain(
      "Latest 0.50, best 0.60 over 5 steps until step 5.",
    );
    const deciding = points(lucky).filter(({ value }) => value < 1);
    expect(summarizeReward(series(lucky), deciding)).toContain(
      "best 0.50 over 5 steps until step 6.",
    );
    expect(summarizeReward(series([0.5]), points([0.5]))).toContain(
      "Latest 0.50, best 0.50 at step 1.",
    );
    expect(summarizeReward(series([0.5]), [])).toMatch(/ Latest 0\.50\.$/);
  });

  it("is empty without values", () => {
    expect(summarize(series([GAP]))).toBe("");
    expect(summarizeReward(series([]), [])).toBe("");
  });
});
