/** State of each run of a sweep, and the next action when the sweep continues. */

import { NO_BEST } from "../../shared/bestReward.ts";
import type { FileSystem } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { elapsedSeconds } from "../runFolder/metrics/metricsTree.ts";
import { withStepReward } from "../runFolder/metrics/trendMetrics.ts";
import { createRunReader } from "../runFolder/reader.ts";
import type { Liveness } from "../runFolder/runFile.ts";
import { type ListedRun, listRuns } from "../runs/runList.ts";
import type { Combination, SweepPlan } from "./planSweep.ts";

/** A combination and its run. */
export interface SweepRow {
  readonly combination: Combination;
  /** Null if it was not started. */
  readonly run: ListedRun | null;
}

export type SweepAction =
  | "start"
  | "resume"
  /** Done, or failed and not to be retried. */
  | "skip"
  /** Another trainer is working on it. */
  | "busy";

/** A row for each combination, in order. `sweepId` null = nothing was started yet. @throws AppError `file-unreadable` */
export async function sweepRows(
  fileSystem: FileSystem,
  { combinations }: SweepPlan,
  sweep: { readonly parent: string; readonly id: string | null },
  liveness: Liveness,
): Promise<readonly SweepRow[]> {
  const { id, parent } = sweep;
  const runs = id === null ? [] : await listRuns(fileSystem, parent, liveness);
  const own = new Map<string, ListedRun>();
  // Newest first. A run that ended before it had its configuration cannot be resumed, so another was started instead.
  for (const run of runs) {
    const member = run.file?.sweep;
    if (member?.id !== id || member === undefined) continue;
    const key = member.settings.join("\n");
    if (own.has(key)) continue;
    const isBegun = (await fileSystem.size(runPaths(run.folder).resolvedConfig)) !== null;
    if (isBegun || run.phase === "preparing") own.set(key, run);
  }
  return combinations.map((combination) => {
    return { combination, run: own.get(combination.settings.join("\n")) ?? null };
  });
}

/** The sweep's action for a combination. */
export function actionFor({ run }: SweepRow, retriesFailed: boolean): SweepAction {
  switch (run?.phase) {
    case undefined:
      return "start";
    case "done":
    case "unreadable":
    case "foreign":
      return "skip";
    case "failed":
      return retriesFailed ? "resume" : "skip";
    case "stopped":
    case "dropped":
    case "interrupted":
      return "resume";
    case "preparing":
    case "running":
    case "pausing":
    case "paused":
    case "finishing":
      return "busy";
  }
}

/**
 * Reads all metrics of a run. Returns its highest mean reward over five consecutive steps (null if no step had one with at least
 * 90% of its rollouts scored), and the seconds that the run has taken. @throws AppError `file-unreadable`
 */
export async function runFigures(fileSystem: FileSystem, folder: string) {
  const rows = await createRunReader(fileSystem.within(folder), folder).metrics();
  let reached = NO_BEST;
  let totalS = 0;
  for (const row of rows) {
    reached = withStepReward(reached, row);
    totalS = elapsedSeconds(row, totalS);
  }
  return { bestReward: reached.best?.value ?? null, totalS };
}
