import { expect, test } from "vitest";
import { transcriptOf } from "../../../../src/core/runFolder/rollouts/transcript.ts";
import { anAgentRecord, aRecord, aRecordedResult, aRecordedTurn } from "../builders.ts";

test("a transcript has everything that was said, and nothing that differs between identical rollouts", () => {
  const record = aRecord({ turns: [aRecordedTurn({ reasoning: "2 and 3 make 5." })] });
  const text = transcriptOf(record);
  expect(text.split("\n").filter((line) => line.startsWith("#"))).toEqual([
    ...["## System", "## Prompt", "## Turn 1", "### Reasoning", "### Call answer"],
    ...["### Result answer", "## End"],
  ]);
  expect(text).toContain("2 and 3 make 5.");
  expect(text).toContain("Richtig ✓\nReward: 1");
  expect(transcriptOf({ ...record, startedAtMs: 7, durationMs: 9, rollout: 3 })).toBe(text);
});

test("environment answers without a call, and failures, are included", () => {
  const errors = [{ kind: "json", raw: "{oops", message: "This is no JSON." }];
  const odd = aRecordedTurn({ calls: [], errors, nudge: "Call a tool." });
  const text = transcriptOf(aRecord({ turns: [odd], reward: null, error: "answered 503" }));
  for (const said of ["{oops\nThis is no JSON.", "Call a tool.", "Richtig ✓", "answered 503"])
    expect(text).toContain(said);
});

test("a transcript separates an agent's own calls from the model's", () => {
  const results = [aRecordedResult({ agentArgs: '{"value":6}' })];
  const text = transcriptOf(aRecord({ turns: [aRecordedTurn({ results })] }));
  expect(text).toContain('### Agent called answer\n\n{"value":6}\n\n### Result answer');
  expect(text.split("### Result answer")).toHaveLength(2);
});

test("a transcript has the agent's requests instead of the environment's prompt", () => {
  const text = transcriptOf(anAgentRecord());
  expect(text).toMatch(/^## Prompt\n\n\[system\]\nBe brief\.\n\n\[user\]\nAdd 2 to 3\./);
  expect(text).not.toContain("What is 2 + 3?");
});
