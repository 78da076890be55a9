import { describe, expect, it } from "vitest";
import { passAtK, reportedKs } from "../../../src/core/util/passAtK.ts";

describe("pass@k", () => {
  it.each([
    // [n, c, k, 1 - C(n - c, k) / C(n, k)]
    [1, 0, 1, 0],
    [1, 1, 1, 1],
    [4, 1, 1, 1 / 4],
    [4, 1, 2, 1 - 3 / 6],
    [4, 2, 2, 1 - 1 / 6],
    [4, 3, 2, 1],
    [5, 2, 3, 1 - 1 / 10],
    [10, 3, 4, 1 - 35 / 210],
    [6, 0, 6, 0],
    [6, 1, 6, 1],
  ])("of %i attempts with %i successes for k = %i is %f", (n, c, k, expected) => {
    expect(passAtK(n, c, k)).toBeCloseTo(expected, 12);
  });

  it("does not overflow for large binomials", () => {
    expect(passAtK(2_000, 1, 1_000)).toBeCloseTo(0.5, 9);
  });

  it.each([
    [4, 1, 5],
    [4, 1, 0],
    [4, 5, 1],
    [4, -1, 1],
  ])("has no value for n = %i, c = %i, k = %i", (n, c, k) => {
    expect(() => passAtK(n, c, k)).toThrow(expect.objectContaining({ code: "pass-at-k" }));
  });

  it("is reported for powers of two and for all attempts", () => {
    expect([0, 1, 2, 3, 4, 6, 8].map(reportedKs)).toEqual([
      [],
      [1],
      [1, 2],
      [1, 2, 3],
      [1, 2, 4],
      [1, 2, 4, 6],
      [1, 2, 4, 8],
    ]);
  });
});
