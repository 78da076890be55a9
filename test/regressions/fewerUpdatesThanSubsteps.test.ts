import fc from "fast-check";
import { expect, it } from "vitest";
import { splitSubsteps } from "../../src/core/training/update/datums.ts";
import { aDatumOfLength } from "../core/training/builders.ts";

/** Tokens of the groups of each part; every group is one datum. */
function split(lengths: readonly number[], count: number): readonly (readonly number[])[] {
  const data = lengths.map((length, group) => aDatumOfLength(length, group));
  return splitSubsteps(data, count).map((part) => part.map(({ tokens }) => tokens.length));
}

it("long groups among short ones leave no update without a group", () => {
  expect(split([1000, 1, 1, 1], 4)).toEqual([[1000], [1], [1], [1]]);
  expect(split([1, 1, 1, 1000], 4)).toEqual([[1], [1], [1], [1000]]);
  // A third of all is 538; of what is left, half is 356, and the middle of the 700 lies at 357.
  expect(split([2, 900, 3, 4, 700, 5], 3)).toEqual([
    [2, 900],
    [3, 4],
    [700, 5],
  ]);
});

it("what a long group leaves is divided evenly", () => {
  expect(split([1000, 1, 1, 1, 1, 1, 1], 3)).toEqual([[1000], [1, 1, 1], [1, 1, 1]]);
});

/** Lognormal lengths: e to the power of a normal variable, by Box and Muller. */
const lognormal = fc
  .tuple(fc.double({ min: 1e-6, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([u, v]) => {
    const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    return Math.min(2_000, Math.max(1, Math.round(Math.exp(3 + 1.5 * normal))));
  });

it("any lengths give num_substeps updates where there are as many groups", () => {
  fc.assert(
    fc.property(
      fc.array(lognormal, { minLength: 1, maxLength: 16 }),
      fc.integer({ min: 1, max: 8 }),
      (lengths, count) => {
        const parts = split(lengths, count);
        expect(parts.flat()).toEqual(lengths);
        expect(parts).toHaveLength(Math.min(count, lengths.length));
        expect(parts.every((part) => part.length > 0)).toBe(true);
        const total = lengths.reduce((sum, length) => sum + length, 0);
        const largest = Math.max(...parts.map((part) => part.reduce((sum, n) => sum + n, 0)));
        // Nothing is lumped together: no part is larger than its share and one group.
        expect(largest).toBeLessThanOrEqual(total / parts.length + Math.max(...lengths));
      },
    ),
  );
});
