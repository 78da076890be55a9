import { expect, test } from "vitest";
import {
  agentFailure,
  printedText,
  withoutPrinted,
} from "../../../src/core/rollout/agentFailure.ts";

const failure = "The agent of acme/games ended with code 1.";

test("a failure includes the agent's output, which can be left out", () => {
  const agent = { exit: "1", output: "KeyError: 'x'\n", refusals: [], failure };
  const said = agentFailure({ agent });
  expect(said).toBe(`${failure} It printed: KeyError: 'x'`);
  expect(withoutPrinted(said ?? "")).toBe(failure);
  expect(agentFailure({ agent: { ...agent, failure: undefined } })).toBeNull();
});

test("the shown output starts with a complete line", () => {
  const line = `${"x".repeat(250)}\n`;
  expect(printedText(line.repeat(4))).toBe(` It printed: ${line.repeat(2).trim()}`);
  expect(printedText("x".repeat(700))).toBe(` It printed: ${"x".repeat(600)}`);
});
