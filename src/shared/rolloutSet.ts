/** Which rollouts are meant when some of a run are listed. */

export type RolloutSource = "training" | "evaluation";

/** The rollouts of a training step, counted from 0, or of the evaluation after `step` completed steps. */
export interface RolloutSet {
  readonly source: RolloutSource;
  readonly step: number;
}

/** Which rollout: all numbers count from 0. */
export interface RolloutKey extends RolloutSet {
  readonly group: number;
  readonly rollout: number;
}

/** Without what else a row or a hit holds. */
export function plainKey({ source, step, group, rollout }: RolloutKey): RolloutKey {
  return { source, step, group, rollout };
}

/** Names it within its run. */
export function setName({ source, step }: RolloutSet): string {
  return `${source}/${step}`;
}

/** Names it within its run. */
export function rolloutKeyName({ group, rollout, ...set }: RolloutKey): string {
  return `${setName(set)}/${group}/${rollout}`;
}

/** Steps and evaluations in the order in which they were played, newest first; both lists are ascending. */
export function newestSets(
  steps: readonly number[],
  evaluatedSteps: readonly number[],
): readonly RolloutSet[] {
  const sets: readonly RolloutSet[] = [
    ...evaluatedSteps.map((step) => ({ source: "evaluation" as const, step })),
    ...steps.map((step) => ({ source: "training" as const, step })),
  ];
  // After n completed steps comes the step that is counted as n from 0.
  return sets.toSorted((a, b) => a.step - b.step).toReversed();
}
