/** When the parts of a step and of a rollout began and ended, in whole milliseconds. */

import * as z from "zod";

const ms = z.number().int().nonnegative();

/** What comes before the first turn of a rollout. */
export const rolloutBeginning = z
  .object({
    /** In the queue of rollouts, before the rollout started. */
    queuedMs: ms,
    /** In attempts before the one that is stored, from the start of the rollout on. */
    retriedMs: ms,
    /** After that, until the environment had a place for the session. */
    waitedMs: ms,
    /** After that, until the session was open. */
    openedMs: ms,
  })
  .readonly();

export type RolloutBeginning = z.infer<typeof rolloutBeginning>;

const stepPhases = z
  .object({
    /** When the step before was completed, since the Unix epoch. All others count from then. */
    startedAtMs: z.number(),
    /** The rollouts of the step had ended. */
    takenMs: ms,
    /** Part of that time in which the run was paused because of its environments. */
    pausedMs: ms,
    /** The update was sent; null for a step that trained nothing, as the next two. */
    submittedMs: ms.nullable(),
    /** The service had trained. */
    trainedMs: ms.nullable(),
    /** The sampler had the new weights. */
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

/** The phases of such a line; null for every other line. */
export function parsePhases(value: unknown): StepPhases | null {
  return phasesLine.safeParse(value).data?.phases ?? null;
}
