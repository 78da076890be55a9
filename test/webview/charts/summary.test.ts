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

  it("agrees with the runs table about the best: no single step, and none with many failures", () => {
    const lucky = [0.5, 0.5, 1, 0.5, 0.5, 0.5];
    expect(summarizeReward(Float64Array.from(lucky), points(lucky))).toContain(
      "Latest 0.50, best 5-step mean 0.60 at step 5.",
    );
    const deciding = points(lucky).filter(({ value }) => value < 1);
    expect(summarizeReward(Float64Array.from(lucky), deciding)).toContain(
      "best 5-step mean 0.50 at step 6.",
    );
    expect(summarizeReward(Float64Array.from([0.5]), points([0.5]))).toContain(
      "Latest 0.50, best 0.50 at step 1.",
    );
    expect(summarizeReward(Float64Array.from([0.5]), [])).toBe("Latest 0.50.");
  });

  it("is empty without values", () => {
    expect(summarize(series([GAP]))).toBe("");
    expect(summarizeReward(Float64Array.from([]), [])).toBe("");
  });
});
