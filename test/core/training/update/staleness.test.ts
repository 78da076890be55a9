import { expect, test } from "vitest";
import type { Policy } from "../../../../src/core/training/run/policy.ts";
import { staleness, stalenessMetrics } from "../../../../src/core/training/update/staleness.ts";

const policy = (updates: number, behind: number): Policy => ({
  sampler: {} as Policy["sampler"],
  version: updates,
  updates,
  behind,
});

test("the staleness of a policy is the number of later updates", () => {
  expect(staleness([policy(7, 0), policy(5, 0)], 8)).toEqual([1, 3]);
});

test("the metrics count separately the groups for which the service returned old weights", () => {
  expect(stalenessMetrics([policy(8, 0), policy(7, 0), policy(4, 2)], 8)).toEqual({
    async: { staleness: { mean: 5 / 3, min: 0, max: 4, beyond_allowed: 2 } },
  });
});
