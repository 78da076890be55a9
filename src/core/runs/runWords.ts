/** Available actions for a run, as words that menu conditions use. */

import type { ListedRun } from "./runList.ts";

/** An expiration within this time is shown as a warning. */
export const SOON_MS = 24 * 3600 * 1000;

interface KnownRun extends ListedRun {
  /** True while a trainer is working on it. */
  readonly isLive: boolean;
}

/** `run`, its state, and its properties and available actions. */
export function runWords(run: KnownRun, nowMs: number): readonly string[] {
  return [
    ...["run", stateWord(run), ...(isResumable(run) ? ["resumable"] : [])],
    // A standalone evaluation has no weights.
    ...(run.file?.evaluation === undefined ? ["training"] : []),
    ...(run.alarms.length > 0 ? ["alarm"] : []),
    ...(isExpiring(run, nowMs) ? ["expiring"] : []),
  ];
}

/** True if a resume can continue training, or send unsent reports. */
export function isResumable(run: KnownRun): boolean {
  const { phase, isLive, steps, totalSteps, file, pendingReports } = run;
  if (isLive || phase === "foreign" || phase === "unreadable") return false;
  if (file?.evaluation !== undefined) return false;
  const { rollouts, rows, isSummaryMissing } = pendingReports;
  const isUnsent = rollouts > 0 || rows > 0 || isSummaryMissing;
  return phase !== "done" || totalSteps === null || steps < totalSteps || isUnsent;
}

/** Completed steps that would be trained again: without a save, all of them. A run that is done trains none. */
export function repeatedSteps({
  phase,
  repeats,
  steps,
}: Pick<ListedRun, "phase" | "repeats" | "steps">): number {
  return repeats ?? (phase === "done" || phase === "foreign" ? 0 : steps);
}

/** True if the save that a resume would use expires within a day. A run in progress saves again. */
export function isExpiring({ isLive, expiry }: KnownRun, nowMs: number): boolean {
  return !isLive && expiry !== null && expiry.atMs - nowMs <= SOON_MS;
}

/** True for a paused run. A requested pause can be undone before it begins. */
export function isPaused({ phase, isLive }: KnownRun): boolean {
  return isLive && (phase === "pausing" || phase === "paused");
}

export function isPausable({ phase, isLive }: KnownRun): boolean {
  return isLive && phase === "running";
}

function stateWord(run: KnownRun): string {
  const { phase, isLive } = run;
  if (!isLive) return "ended";
  if (phase === "preparing") return "preparing";
  if (isPaused(run)) return "paused";
  return isPausable(run) ? "running" : "ending";
}
