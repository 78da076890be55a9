/** Which run phases mean that a run has ended. */

import type { ShownPhase } from "./phaseTexts.ts";

const EARLY: readonly ShownPhase[] = ["failed", "stopped", "dropped"];
const ENDS: ReadonlySet<string> = new Set<ShownPhase>(["done", "interrupted", ...EARLY]);

/** True for a run that ended before it was done and says why. */
export function endedEarly(phase: ShownPhase | "unknown"): boolean {
  return EARLY.some((early) => early === phase);
}

/** True for a run that ended for a reason the reader should see first. */
export function endedBadly(phase: ShownPhase | "unknown"): boolean {
  return phase === "failed" || phase === "interrupted";
}

/** True when no trainer is running anymore; false for folders where this is unknown, such as another program's. */
export function hasEnded(phase: ShownPhase | "unknown"): boolean {
  return ENDS.has(phase);
}
