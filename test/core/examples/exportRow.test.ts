import { describe, expect, it } from "vitest";
import { exportRow } from "../../../src/core/examples/exportRow.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { NO_MARK } from "../../../src/shared/marks.ts";
import { aRecord, aRolloutSummary } from "../runFolder/builders.ts";

function openingOf(changes: Partial<RolloutRecord>) {
  const run = { name: "run", trained: {} };
  const chosen = { summary: aRolloutSummary(0), mark: NO_MARK };
  return exportRow(run, chosen, aRecord({ ...changes, turns: [] })).messages;
}

const asked = { type: "user_message", content: "Go." } as const;
const rules = { type: "system_message", content: "Be brief." } as const;

describe("the opening of an exported rollout", () => {
  it("has one system message, with the text of the configuration before that of the task", () => {
    const user = { role: "user", content: "Go." };
    const opening = (systemText: string | null) =>
      openingOf({ systemText, conversation: [rules, asked] });
    expect(opening("Use tools.")).toEqual([
      { role: "system", content: "Use tools.\n\nBe brief." },
      user,
    ]);
    expect(opening(null)).toEqual([{ role: "system", content: "Be brief." }, user]);
  });

  it("is the prompt where the record has no conversation", () => {
    expect(openingOf({ systemText: null, promptText: "Go." })).toEqual([
      { role: "user", content: "Go." },
    ]);
  });
});
