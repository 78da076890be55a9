import { describe, expect, it } from "vitest";
import { diagnose } from "../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { fixesAt } from "../../../../src/core/config/editing/fixes/fixes.ts";
import { applyEdits } from "../../../../src/core/config/editing/text/textEdit.ts";
import { textWith, textWithEnvironment } from "../configText.ts";

const OPTIONS = { path: "run.yaml" };

function found(text: string): readonly string[] {
  return diagnose(text, OPTIONS)
    .filter(({ severity }) => severity !== "hint")
    .map(({ code, span }) => `${code} ${text.slice(span.start, span.end)}`);
}

/** The text after applying the preferred fix. */
function repaired(text: string): string {
  const hint = "Set nonterminal_reward to 0";
  const fixes = fixesAt(text, { start: 0, end: text.length }, OPTIONS).filter(
    ({ isPreferred }) => isPreferred,
  );
  // Every minimal configuration has the hint.
  const fix = fixes.find(({ title }) => title !== hint) ?? fixes[0];
  return fix === undefined ? text : applyEdits(text, fix.edits);
}

describe("a setting that does not do what its name suggests gets an advice with a fix", () => {
  it.each([
    ["loss_fn: gspo", "TRL204 gspo"],
    ["grad_clip_norm: 1", "TRL204 1"],
    ["loss_fn: importance_sampling\nnum_substeps: 4", "TRL203 4"],
    ["max_steps_off_policy: 6", "TRL203 6"],
    ["max_total_tokens: 65536", "TRL202 65536"],
  ])("for %j", (lines, mark) => {
    const text = textWith("num_epochs: 1", lines);
    expect(found(text)).toContain(mark);
    expect(found(repaired(text))).not.toContain(mark);
  });

  it("for an environment weight in a mix by number of tasks", () => {
    const text = textWith("num_epochs: 1").replace(
      "num_rollouts: 4",
      "num_rollouts: 4\n    weight: 3",
    );
    expect(found(text)).toEqual(["TRL217 3"]);
    expect(repaired(text)).toContain("mix: weighted");
    expect(found(repaired(text))).toEqual([]);
  });

  it("for groups of two rollouts", () => {
    const text = textWith("num_epochs: 1").replace("num_rollouts: 4", "num_rollouts: 2");
    expect(found(text)).toEqual(["TRL200 2"]);
    expect(found(repaired(text))).toEqual([]);
  });

  it("for groups excluded by one rollout without a reward, as the lowest-priority finding", () => {
    const hints = (text: string) =>
      diagnose(text, OPTIONS)
        .filter(({ severity }) => severity === "hint")
        .map(({ code, span }) => `${code} ${text.slice(span.start, span.end)}`);
    const text = textWith("num_epochs: 1");
    expect(hints(text)).toEqual(["TRL200 Owner/Game"]);
    expect(repaired(text)).toContain("nonterminal_reward: 0");
    expect(hints(repaired(text))).toEqual([]);
    expect(hints(textWithEnvironment("max_failing_rollouts: 1"))).toEqual([]);
    expect(hints(textWithEnvironment("nonterminal_reward: -1"))).toEqual([]);
  });

  it.each([
    "loss_fn: gspo\nloss_normalization: sequence_mean",
    "grad_clip_norm: 1\nloss_normalization: token_mean",
    "grad_clip_norm: 500",
    "num_substeps: 4",
    "max_steps_off_policy: 2",
    "max_steps_off_policy: 6\noff_policy_correction: tis",
    "max_total_tokens: 16384",
    "max_total_tokens: 65536\nrollout_timeout: 1800",
  ])("but not for %j", (lines) => {
    const noted = found(textWith("num_epochs: 1", lines));
    expect(noted.filter((mark) => /TRL20[234]/.test(mark))).toEqual([]);
  });

  it("for a time limit that the default number of tokens cannot meet", () => {
    const noted = found(textWith("num_epochs: 1", "rollout_timeout: 100"));
    expect(noted.filter((mark) => mark.includes("TRL202"))).toHaveLength(1);
    expect(found(textWith("num_epochs: 1", "rollout_timeout: 600")).join()).not.toContain("TRL202");
  });
});
