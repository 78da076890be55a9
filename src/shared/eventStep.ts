/** The step shown with a run's event. */

/** Events reported after `step` completed steps; all others belong to the step that follows. */
const AFTER_STEPS: ReadonlySet<string> = new Set([
  "checkpoint-deleted",
  "evaluation-session",
  "run-ended",
]);

/** Counted from 1; null when the event belongs to no step. */
export function shownStep(event: {
  readonly kind: string;
  readonly step: number | null;
}): number | null {
  const { kind, step } = event;
  return step === null || AFTER_STEPS.has(kind) ? step : step + 1;
}
