/** Which phases of a run are ends. */

import type { ShownPhase } from "./phaseTexts.ts";

const ENDS: ReadonlySet<string> = new Set<ShownPhase>(["done", "failed", "stopped", "interrupted"]);

/** True for a run that ended with a reason that its reader has to know first. */
export function endedBadly(phase: ShownPhase | "unknown"): boolean {
  return phase === "failed" || phase === "interrupted";
}

/** True when no trainer is at work any more; false for folders that do not say, such as another program's. */
export function hasEnded(phase: ShownPhase | "unknown"): boolean {
  return ENDS.has(phase);
}
