import { describe, expect, it } from "vitest";
import { parseRolloutCondition } from "../../src/shared/rolloutCondition.ts";

const facts = { reward: 0.5, turns: 3, tokens: 120, tool_calls: 2, step: 7 };

describe("a condition on rollouts", () => {
  it.each([
    ["reward >= 0.5", true],
    ["reward > 0.5", false],
    ["reward>=.5 and turns <= 3", true],
    ["reward >= 0.5 AND turns != 3", false],
    ["tokens < 1e3 and step = 7", true],
    ["tool_calls == 2", true],
  ])("%s is %s", (text, isTrue) => {
    expect(parseRolloutCondition(text)?.(facts)).toBe(isTrue);
  });

  it("takes no rollout by a number that it does not have", () => {
    expect(parseRolloutCondition("reward <= 1")?.({ ...facts, reward: null })).toBe(false);
  });

  it.each([
    "",
    "reward",
    "reward >= high",
    "rewards >= 1",
    "reward >= 1 or turns < 2",
    "1 <= reward",
  ])("%j is none", (text) => {
    expect(parseRolloutCondition(text)).toBeNull();
  });
});
