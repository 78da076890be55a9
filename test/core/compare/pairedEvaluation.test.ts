import { describe, expect, it } from "vitest";
import { pairedDifference, type TaskOutcome } from "../../../src/core/compare/pairedEvaluation.ts";

const outcomes = (...rewards: readonly (number | null)[]): readonly TaskOutcome[] =>
  rewards.map((reward, index) => ({ index, reward }));
const NONE = [0, 0, 0, 0, 0, 0, 0, 0];

describe("two evaluations of the same tasks", () => {
  it("differ by the mean of their tasks' differences", () => {
    const found = pairedDifference(outcomes(...NONE), outcomes(1, 1, 0, 0, 0, 0, 0, 0), null);
    expect(found).toMatchObject({ mean: expect.closeTo(0.25, 12), tasks: 8, better: 2, worse: 0 });
  });

  it("are compared only on shared tasks, at least 8", () => {
    const nine = outcomes(...NONE, 1);
    expect(pairedDifference(outcomes(...NONE), nine, null)?.tasks).toBe(8);
    expect(pairedDifference(outcomes(...NONE.slice(1)), nine, null)).toBeNull();
  });

  it("count a failed rollout as the smaller of 0 and the lowest reward of both", () => {
    const before = outcomes(-0.4, -0.4, -0.4, -0.4, -0.4, -0.4, -0.4, -0.4);
    const after = outcomes(-0.6, -0.6, -0.6, -0.6, null, null, null, null);
    expect(pairedDifference(before, after, null)?.mean).toBeCloseTo(-0.2, 12);
    expect(pairedDifference(before, after, -1)?.mean).toBeCloseTo(-0.4, 12);
  });
});
