import { expect, test } from "vitest";
import type { Policy } from "../../../../src/core/training/run/policy.ts";
import { ageMetrics, policyAges } from "../../../../src/core/training/step/gatherStepFacts.ts";

const policy = (updates: number, behind: number): Policy => ({
  sampler: {} as Policy["sampler"],
  version: updates,
  updates,
  behind,
});

test("a policy is as old as the number of updates that came after it", () => {
  expect(policyAges([policy(7, 0), policy(5, 0)], 8)).toEqual([1, 3]);
});

test("the metrics count apart what the service handed out too old", () => {
  expect(ageMetrics([policy(8, 0), policy(7, 0), policy(4, 2)], 8)).toEqual({
    async: { staleness: { mean: 5 / 3, min: 0, max: 4, beyond_allowed: 2 } },
  });
});
