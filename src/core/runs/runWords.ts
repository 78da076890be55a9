/** What can be done with a run, in words that the conditions of menus look for. */

import type { ListedRun } from "./runList.ts";

/** What expires within it is shown as a warning. */
export const SOON_MS = 24 * 3600 * 1000;

interface KnownRun extends ListedRun {
  /** True while a trainer is at work on it. */
  readonly isLive: boolean;
}

/** `run`, what it is doing, and what it has or offers. */
export function runWords(run: KnownRun, nowMs: number): readonly string[] {
  return [
    ...["run", stateWord(run), ...(isResumable(run) ? ["resumable"] : [])],
    // An evaluation by itself has no weights.
    ...(run.file?.evaluation === undefined ? ["training"] : []),
    ...(run.alarms.length > 0 ? ["alarm"] : []),
    ...(isExpiring(run, nowMs) ? ["expiring"] : []),
  ];
}

/** True when a resume can continue with it, or sends what is left of it. */
export function isResumable(run: KnownRun): boolean {
  const { phase, isLive, steps, totalSteps, file, pendingReports } = run;
  if (isLive || phase === "foreign" || phase === "unreadable") return false;
  if (file?.evaluation !== undefined) return false;
  const { rollouts, rows, isSummaryMissing } = pendingReports;
  const isUnsent = rollouts > 0 || rows > 0 || isSummaryMissing;
  return phase !== "done" || totalSteps === null || steps < totalSteps || isUnsent;
}

/** True when what a resume would begin with no longer exists within a day; a run in progress saves again. */
export function isExpiring({ isLive, expiry }: KnownRun, nowMs: number): boolean {
  return !isLive && expiry !== null && expiry.atMs - nowMs <= SOON_MS;
}

/** True for a run that is paused; a pause that was requested can be taken back before it begins. */
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
