import { expect, it } from "vitest";
import { withReasoning } from "../../../src/core/examples/reasoningInContent.ts";

const turn = (content: string, reasoning: string | null = null) =>
  ({ role: "assistant", content, reasoning, calls: [] }) as const;

it.each([
  ["\n<think>\nTwo threes.\n</think>\n\n6", turn("6", "Two threes.")],
  ["<think>\n\n</think>\n\n6", turn("6")],
  ["It is <think>6</think>", turn("It is <think>6</think>")],
  ["<think>Two threes. 6", null],
])("the reasoning at the start of %j is that of the turn", (content, expected) => {
  expect(withReasoning(turn(content))).toEqual(expected);
});

it("a turn with reasoning of its own keeps its content", () => {
  const own = turn("<think> opens it", "The tag <think>.");
  expect(withReasoning(own)).toBe(own);
});
