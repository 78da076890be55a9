import { expect, it } from "vitest";
import { type RolloutCells, rolloutTable } from "../../../src/cli/show/rolloutTable.ts";
import { shownText } from "../../../src/cli/terminal/line.ts";

const ROLLOUT: RolloutCells = {
  key: ["0", "1"],
  environment: "my-question",
  split: "train",
  index: 17,
  reward: 1,
  score: { advantage: 0.5, trainingUse: "trained" },
  stop: "reached_terminal_state",
  turns: 2,
  tokens: 120,
};

it("a narrow table of several environments keeps the task numbers", () => {
  const rows = [ROLLOUT, { ...ROLLOUT, environment: "my-state", index: 4 }];
  const texts = rolloutTable(["group", "rollout"], rows, 74).map((line) =>
    line.map(shownText).join(""),
  );
  expect(texts.at(-2)).toContain("train 17  my");
  expect(texts.at(-1)).toContain("train 4   my");
});
