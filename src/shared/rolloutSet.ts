/** Identifies rollouts and sets of rollouts within a run. */

export type RolloutSource = "training" | "evaluation";

/** The rollouts of a training step, counted from 0, or of the evaluation after `step` completed steps. */
export interface RolloutSet {
  readonly source: RolloutSource;
  readonly step: number;
}

/** Identifies a rollout within its set; both numbers count from 0. */
export interface RolloutPosition {
  readonly group: number;
  readonly rollout: number;
}

/** Identifies a rollout; all numbers count from 0. */
export interface RolloutKey extends RolloutSet, RolloutPosition {}

/** Only the key fields of a row or hit. */
export function plainKey({ source, step, group, rollout }: RolloutKey): RolloutKey {
  return { source, step, group, rollout };
}

/** A string id, unique within the run. */
export function setName({ source, step }: RolloutSet): string {
  return `${source}/${step}`;
}

/** A string id, unique within the run. */
export function rolloutKeyName({ group, rollout, ...set }: RolloutKey): string {
  return `${setName(set)}/${group}/${rollout}`;
}

/** Steps and evaluations, newest first; both lists are ascending. */
export function newestSets(
  steps: readonly number[],
  evaluatedSteps: readonly number[],
): readonly RolloutSet[] {
  const sets: readonly RolloutSet[] = [
    ...evaluatedSteps.map((step) => ({ source: "evaluation" as const, step })),
    ...steps.map((step) => ({ source: "training" as const, step })),
  ];
  // After n completed steps comes step n, counting from 0; the stable sort keeps the evaluation before it.
  return sets.toSorted((a, b) => a.step - b.step).toReversed();
}
