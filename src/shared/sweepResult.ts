/** By what the runs of a sweep are compared, decided once for all of them, the same in pages, terminals and reports. */

import { mean } from "./mean.ts";

/** A mean reward of an evaluation after so many steps; `cell` names environment, split and temperature. */
export interface EvaluatedReward {
  readonly cell: string;
  readonly step: number;
  readonly reward: number;
}

export interface SweepMeasures {
  readonly isDone: boolean;
  /** Completed steps. */
  readonly steps: number;
  /** Mean reward of the last steps, as {@link lastRewardsMean}. */
  readonly recentReward: number | null;
  /** Of a supervised run; null for another. */
  readonly fit: { readonly now: number; readonly heldOut: number | null } | null;
  /** Of tasks that are held out, those at the temperature of training first. */
  readonly evaluated: readonly EvaluatedReward[];
}

export type SweepBasis =
  /** An evaluation that all runs have in common, after the most steps. */
  | { readonly kind: "evaluation"; readonly cell: string; readonly step: number }
  /** The mean reward of the last steps. */
  | { readonly kind: "reward" }
  /** The newest loss of what is held out, or the mean loss of the last steps. */
  | { readonly kind: "heldOut" | "now" };

/** A reward of one step alone says little. */
const LAST_STEPS = 5;

export function lastRewardsMean(rewards: readonly (number | null)[]): number | null {
  const known = rewards.slice(-LAST_STEPS).filter((reward) => reward !== null);
  return known.length === 0 ? null : mean(known);
}

/** Null stands for a run that was not started. */
export function sweepBasis(runs: readonly (SweepMeasures | null)[]): SweepBasis {
  const begun = runs.filter((run) => run !== null);
  const hasNoReward = begun.every(({ recentReward }) => recentReward === null);
  if (hasNoReward && begun.some(({ fit }) => fit !== null)) return { kind: lossKind(begun) };
  return commonEvaluation(begun) ?? { kind: "reward" };
}

export function resultBy(basis: SweepBasis, run: SweepMeasures): number | null {
  switch (basis.kind) {
    case "evaluation": {
      const { cell, step } = basis;
      return run.evaluated.find((own) => own.cell === cell && own.step === step)?.reward ?? null;
    }
    case "reward":
      return run.recentReward;
    case "heldOut":
    case "now":
      return run.fit?.[basis.kind] ?? null;
  }
}

/** Held-out losses where all supervised runs have one. */
export function lossKind(runs: readonly Pick<SweepMeasures, "fit">[]): "heldOut" | "now" {
  return runs.every(({ fit }) => fit?.heldOut !== null) ? "heldOut" : "now";
}

/** True for a run that counts: it is done or as long as the longest. */
export function isWhole(
  { isDone, steps }: Pick<SweepMeasures, "isDone" | "steps">,
  longest: number,
): boolean {
  return isDone || (steps > 0 && steps === longest);
}

function commonEvaluation(runs: readonly SweepMeasures[]): SweepBasis | null {
  const longest = Math.max(0, ...runs.map(({ steps }) => steps));
  const [first, ...others] = runs.filter((run) => isWhole(run, longest));
  const common = (first?.evaluated ?? []).filter(
    // Before the first step nothing that a setting does is seen.
    ({ cell, step }) =>
      step > 0 &&
      others.every(({ evaluated }) =>
        evaluated.some((own) => own.cell === cell && own.step === step),
      ),
  );
  const last = Math.max(0, ...common.map(({ step }) => step));
  const found = common.find(({ step }) => step === last);
  return found === undefined ? null : { kind: "evaluation", cell: found.cell, step: found.step };
}
