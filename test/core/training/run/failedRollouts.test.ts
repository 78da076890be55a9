import { expect, test } from "vitest";
import { failuresOfAll, whoFailed } from "../../../../src/core/training/run/failedRollouts.ts";
import { anAgentRecord, aRecord } from "../../runFolder/builders.ts";

const failed = (reward: number | null) => ({
  record: { ...anAgentRecord(), reward },
});

test("a step fails when all agents fail, unless their rewards differ", () => {
  expect(failuresOfAll([failed(0), failed(0)])).toHaveLength(2);
  expect(failuresOfAll([failed(0), failed(null)])).toHaveLength(2);
  expect(failuresOfAll([failed(0), failed(1)])).toEqual([]);
  expect(failuresOfAll([])).toEqual([]);
});

test("the failure is of the rollouts, or only of the agents when rollouts have a reward", () => {
  expect(whoFailed([failed(null), failed(null)])).toBe("all 2 rollouts");
  expect(whoFailed([failed(0), failed(null)])).toBe("the agents of all 2 rollouts");
});

test("an episode that its environment ends without a reward says what to return", () => {
  expect(failuresOfAll([{ record: aRecord({ reward: null }) }])).toEqual([
    expect.stringMatching(/without a reward\. Give a reward with the call that ends the episode/),
  ]);
  expect(failuresOfAll([{ record: aRecord({ reward: null, stop: "max_turns" }) }])).toEqual([
    "it ended with max_turns and without a reward.",
  ]);
});
