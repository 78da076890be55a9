import { describe, expect, it } from "vitest";
import { pairedDifference } from "../../../src/core/compare/pairedEvaluation.ts";

const rewards = (...values: readonly (number | null)[]): ReadonlyMap<number, number> =>
  new Map(values.flatMap((value, task) => (value === null ? [] : [[task, value] as const])));

describe("two evaluations of the same tasks", () => {
  it("differ by the mean of their tasks' differences, with the interval of paired values", () => {
    // Differences 1, 0, 1, 0: mean 0.5, s = 0.57735, t(3) = 3.182, so 3.182 · 0.57735 / 2 = 0.91857.
    const found = pairedDifference(rewards(0, 1, 0, 0), rewards(1, 1, 1, 0));
    expect(found).toMatchObject({ mean: 0.5, tasks: 4, better: 2, worse: 0 });
    expect(found?.low).toBeCloseTo(0.5 - 0.91857, 4);
    expect(found?.high).toBeCloseTo(0.5 + 0.91857, 4);
  });

  it("have an interval that does not grow with what is hard for both", () => {
    const hard = [0, 0.1, 0.9, 1, 0.5];
    const found = pairedDifference(rewards(...hard), rewards(...hard.map((value) => value + 0.25)));
    expect(found?.low).toBeCloseTo(0.25);
    expect(found?.high).toBeCloseTo(0.25);
  });

  it("are compared on shared tasks alone, of which there must be two", () => {
    expect(pairedDifference(rewards(0, null, 1), rewards(1, 1, 1))?.tasks).toBe(2);
    expect(pairedDifference(rewards(0, null), rewards(1, 1))).toBeNull();
  });
});
