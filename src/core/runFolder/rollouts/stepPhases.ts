/** When the parts of a step and of a rollout began and ended, in whole milliseconds. */

import * as z from "zod";

const ms = z.number().int().nonnegative();

/** Time before a rollout's first turn. */
export const rolloutBeginning = z
  .object({
    /** Time in the queue before the rollout started. */
    queuedMs: ms,
    /** From then on, time spent in failed attempts before the stored one. */
    retriedMs: ms,
    /** After that, time until the environment had capacity for the session. */
    waitedMs: ms,
    /** After that, time until the session was open. */
    openedMs: ms,
  })
  .readonly();

const stepPhases = z
  .object({
    /** When the previous step completed, since the Unix epoch. The other times are relative to it. */
    startedAtMs: z.number(),
    /** When the rollouts of the step had ended. */
    takenMs: ms,
    /** How much of that time the run was paused because of its environments. */
    pausedMs: ms,
    /** When the update was sent; this and the next two are null if the step trained nothing. */
    submittedMs: ms.nullable(),
    /** When the service had finished training. */
    trainedMs: ms.nullable(),
    /** When the sampler had the new weights. */
    savedMs: ms.nullable(),
    endedMs: ms,
  })
  .readonly();

export type StepPhases = z.infer<typeof stepPhases>;

export const phasesLine = z.object({
  kind: z.literal("phases"),
  step: z.number().int(),
  phases: stepPhases,
});

/** A line of the index of a step, written when the step is over. */
export type PhasesLine = z.infer<typeof phasesLine>;

/** The phases from a line of the index; null for any other line. */
export function parsePhases(value: unknown): StepPhases | null {
  return phasesLine.safeParse(value).data?.phases ?? null;
}
