import { expect, it, vi } from "vitest";
import { runRow } from "../../../src/host/views/runRow.ts";
import { runTooltip } from "../../../src/host/views/runTooltip.ts";
import { aRun } from "../runEntries.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

/** The part after a name of a dozen characters that a side bar of usual width shows. */
const SHOWN = 16;

it.each(["running", "finishing", "done", "stopped", "foreign"] as const)(
  "puts reward and steps of a run that is %s first, because a row is cut off at its end",
  (phase) => {
    const run = aRun({ phase, isLive: phase === "running", reward: 0.634, steps: 120 });
    const { description } = runRow(run, { isArchived: true, isSpinning: false });
    expect(description.slice(0, SHOWN)).toMatch(/^0\.63( ▲)? · 120/);
  },
);

it.each(["paused", "interrupted", "failed"] as const)(
  "puts the state of a run that is %s first, because it needs attention",
  (phase) => {
    const run = aRun({ phase, isLive: phase === "paused" });
    const { description } = runRow(run, { isArchived: true, isSpinning: false });
    expect(description.slice(0, SHOWN)).toMatch(new RegExp(`^${phase} · 12`));
  },
);

it("the tooltip contains what the row cuts off", () => {
  const left = { rollouts: 48, rows: 1, isSummaryMissing: true };
  const sent = runTooltip(aRun({ phase: "done", isLive: false, pendingReports: left })).value;
  expect(sent).toContain("Not sent yet: 48 rollouts to upload, 1 row for Weights & Biases");
  expect(sent).toContain("State: done");
  const resumed = aRun({ phase: "stopped", isLive: false, repeats: 7, steps: 120 });
  expect(runTooltip(resumed).value).toMatch(/120 of 200.*A resume repeats: 7 steps/s);
  const unsaved = { ...resumed, repeats: null };
  expect(runTooltip(unsaved).value).toContain("A resume repeats: 120 steps");
  expect(runTooltip({ ...unsaved, phase: "done" }).value).not.toContain("A resume repeats");
});
