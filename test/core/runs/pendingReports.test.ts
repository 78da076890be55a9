import { expect, it, vi } from "vitest";
import { pendingReports } from "../../../src/core/runs/pendingReports.ts";
import { isResumable } from "../../../src/core/runs/runWords.ts";
import { runRow } from "../../../src/host/views/runRow.ts";
import { aRun } from "../../host/runEntries.ts";
import { TrackedRun } from "../tracking/wandb/trackedRun.ts";

vi.mock("vscode", () => ({}));

it("a finished run that W&B has not fully received can be resumed until it has", async () => {
  const run = new TrackedRun();
  const listed = async () => {
    const left = await pendingReports(run.fileSystem, "/runs/run", 1);
    return aRun({ phase: "done", isLive: false, steps: 1, totalSteps: 1, pendingReports: left });
  };
  await run.begin();
  await run.write(0);
  await run.clock.advance(60_000);
  await run.kill();
  const before = await listed();
  expect(before.pendingReports).toEqual({ rollouts: 0, rows: 0, isSummaryMissing: true });
  expect(isResumable(before)).toBe(true);
  const text = runRow(before, { isSpinning: false, isArchived: false });
  expect(JSON.stringify(text)).toContain("summary for Weights & Biases");
  await run.begin(1);
  await run.finish();
  expect(isResumable(await listed())).toBe(false);
});
