/** The order of the Runs view: what is running, then what waits for a person or for its turn, then the newest. */

import type { RunEntry } from "../../api/runs.ts";
import { isExpiring, isResumable } from "./runRow.ts";

/** `runs` are sorted by their start, the newest first. */
export function byAttention(runs: readonly RunEntry[], nowMs: number): readonly RunEntry[] {
  const ranks = new Map(runs.map((run, index) => [run, rankOf(run, runs.slice(0, index), nowMs)]));
  return runs.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

function rankOf(run: RunEntry, newer: readonly RunEntry[], nowMs: number): number {
  if (run.isLive) return run.phase === "preparing" || run.phase === "paused" ? 1 : 0;
  return needsPerson(run, newer) || isExpiring(run, nowMs) ? 1 : 2;
}

/** True for a run that ended in a fault and can be resumed, until its configuration is trained again. */
function needsPerson(run: RunEntry, newer: readonly RunEntry[]): boolean {
  if ((run.phase !== "failed" && run.phase !== "interrupted") || !isResumable(run)) return false;
  const { configPath, sweep } = run.file ?? {};
  return (
    sweep !== undefined ||
    !newer.some(({ file }) => file !== null && file.configPath === configPath)
  );
}
