/** The order of the Runs view: running first, then those that need the user or are waiting, then by age, newest first. */

import type { RunEntry } from "../../api/runs.ts";
import { isExpiring, isResumable } from "../../core/runs/runWords.ts";
import { runFolder } from "../../node/runFolder.ts";

/** `runs` are sorted by start time, newest first. */
export function byAttention(runs: readonly RunEntry[], nowMs: number): readonly RunEntry[] {
  const trained = new Set<string>();
  const ranks = new Map<RunEntry, number>();
  for (const run of runs) {
    ranks.set(run, rankOf(run, trained, nowMs));
    const { configPath, evaluation } = run.file ?? {};
    if (configPath !== undefined && evaluation === undefined) trained.add(runFolder(configPath));
  }
  return runs.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

/** `trained` contains the configurations of newer runs. */
function rankOf(run: RunEntry, trained: ReadonlySet<string>, nowMs: number): number {
  if (run.isLive) return run.phase === "preparing" || run.phase === "paused" ? 1 : 0;
  return needsPerson(run, trained) || isExpiring(run, nowMs) ? 1 : 2;
}

/** True for a run that failed and can be resumed, until its configuration is trained again. */
function needsPerson(run: RunEntry, trained: ReadonlySet<string>): boolean {
  if ((run.phase !== "failed" && run.phase !== "interrupted") || !isResumable(run)) return false;
  return run.file?.sweep !== undefined || !trained.has(runFolder(run.file?.configPath ?? ""));
}
