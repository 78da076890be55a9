import { describe, expect, it } from "vitest";
import { parseRolloutCondition, unknownConditionField } from "../../src/shared/rolloutCondition.ts";

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

  it("excludes a rollout that lacks the number", () => {
    expect(parseRolloutCondition("reward <= 1")?.({ ...facts, reward: null })).toBe(false);
  });

  it.each([
    "",
    "reward",
    "reward >= high",
    "rewards >= 1",
    "reward >= 1 or turns < 2",
    "1 <= reward",
  ])("%j is invalid", (text) => {
    expect(parseRolloutCondition(text)).toBeNull();
  });

  it.each([
    ["rewrd > 0.9", "There is no field rewrd. Did you mean reward?"],
    ["turns < 3 and rewards >= 1", "There is no field rewards. Did you mean reward?"],
    [
      "height > 2",
      "There is no field height. Some fields are reward, turns, tokens, tool_calls, step.",
    ],
    ["reward >= high", null],
  ])("with an unknown field names it: %s", (text, message) => {
    expect(unknownConditionField(text)).toBe(message);
  });
});
