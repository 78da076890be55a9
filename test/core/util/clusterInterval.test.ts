import fc from "fast-check";
import { expect, test } from "vitest";
import { clusterInterval } from "../../../src/core/util/clusterInterval.ts";

test("two groups whose rollouts agree are two observations, however many rollouts they have", () => {
  const interval = clusterInterval([
    [1, 1, 1, 1],
    [0, 0, 0, 0],
  ]);
  // Mean 0.5, standard error of two observations 0.5, t of one degree of freedom 12.706.
  expect(interval?.low).toBeCloseTo(0.5 - 12.706 * 0.5, 6);
  expect(interval?.high).toBeCloseTo(0.5 + 12.706 * 0.5, 6);
  expect(interval?.groupStd).toBeCloseTo(Math.SQRT1_2, 6);
});

test("groups of one rollout give the usual interval of a mean", () => {
  // Mean 3, sample standard deviation 1.5811, standard error 0.7071, t of four degrees of freedom 2.776.
  const interval = clusterInterval([[1], [2], [3], [4], [5]]);
  expect(interval?.high).toBeCloseTo(3 + 2.776 * Math.SQRT1_2, 4);
});

test("many groups come near the normal distribution", () => {
  const groups = Array.from({ length: 41 }, (_, i) => [i % 2]);
  const { low, high } = clusterInterval(groups) ?? { low: 0, high: 0 };
  const error = Math.sqrt((20 * 21) / 41 / 41 / 40);
  // Tables give 2.0211 for 40 degrees of freedom.
  expect((high - low) / 2 / error).toBeCloseTo(2.0211, 2);
});

test("needs two groups with values", () => {
  expect(clusterInterval([])).toBeNull();
  expect(clusterInterval([[0, 1, 1]])).toBeNull();
  expect(clusterInterval([[0, 1, 1], []])).toBeNull();
});

test("lies around the mean of all values and does not depend on the order of groups", () => {
  const groups = fc.array(fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1 }), {
    minLength: 2,
    maxLength: 20,
  });
  fc.assert(
    fc.property(groups, (given) => {
      const all = given.flat();
      const centre = all.reduce((sum, value) => sum + value, 0) / all.length;
      const own = clusterInterval(given);
      expect(((own?.low ?? 0) + (own?.high ?? 0)) / 2).toBeCloseTo(centre, 6);
      expect(clusterInterval(given.toReversed())?.high).toBeCloseTo(own?.high ?? 0, 6);
    }),
  );
});
