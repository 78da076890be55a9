import { expect, it } from "vitest";
import { hoursOf } from "../../../src/core/estimate/hours.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { aPlan } from "./aPlan.ts";

const BASIS = {
  groups: [],
  evaluated: [],
  times: [{ rollouts: 8, rolloutS: 4, trainS: 2, totalS: 7 }],
  serverCheck: NO_TOKENS,
  isForwardOnly: false,
};

/** Minimum seconds for 10 steps of 8 rollouts, each step 7 s, with evaluations of 16 rollouts. */
function leastSeconds(count: number, afterLastStep: number, atOnce: number, isAhead = false) {
  const plan = aPlan({
    environments: [{ name: "a", groups: 10, rollouts: 8 }],
    atOnce,
    isAhead,
    evaluations: {
      count,
      afterLastStep,
      rollouts: [{ environment: "a", temperature: 1, count: 16 }],
    },
  });
  return Math.round((hoursOf(BASIS, plan, 1)?.low ?? 0) * 3600);
}

it("evaluations that fit next to a step's rollouts add no time", () => {
  expect(leastSeconds(0, 0, 32)).toBe(70);
  expect(leastSeconds(3, 0, 32)).toBe(70);
});

it("the evaluation after the last step adds time, because nothing plays next to it", () => {
  expect(leastSeconds(4, 1, 32)).toBe(74);
});

it("evaluations that do not fit add time, also when sampling ahead", () => {
  expect(leastSeconds(3, 0, 8)).toBe(70 + 3 * 2 * 4);
  expect(leastSeconds(3, 0, 8, true)).toBe(50 + 3 * 2 * 4);
});
