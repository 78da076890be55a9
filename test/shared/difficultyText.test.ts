import { expect, it } from "vitest";
import { difficultyText } from "../../src/shared/difficultyText.ts";

it.each([
  [
    { meanReward: 0.42, minReward: 0, maxReward: 1, rollouts: 12 },
    "mean reward 0.42, from 0.00 to 1.00, in 12 rollouts of others",
  ],
  [
    { meanReward: -1, minReward: null, maxReward: 1, rollouts: 1 },
    "mean reward -1.00, in 1 rollout of others",
  ],
  [{ meanReward: 0, minReward: null, maxReward: null, rollouts: null }, "mean reward 0.00"],
])("the difficulty of a task describes what is known: %o", (known, text) => {
  expect(difficultyText(known)).toBe(text);
});
