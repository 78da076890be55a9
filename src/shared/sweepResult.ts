/** The measure by which the runs of a sweep are compared, chosen once for all of them: the same in pages, terminals and reports. */

import { mean } from "./mean.ts";

/** Mean reward of an evaluation after `step` steps; `cell` names environment, split and temperature. */
export interface EvaluatedReward {
  readonly cell: string;
  readonly step: number;
  readonly reward: number;
}

export interface SweepMeasures {
  readonly isDone: boolean;
  /** Completed steps. */
  readonly steps: number;
  /** Mean reward of the last steps, as in {@link lastRewardsMean}. */
  readonly recentReward: number | null;
  /** Losses of a supervised run; null for other runs. */
  readonly fit: { readonly now: number; readonly heldOut: number | null } | null;
  /** On held-out tasks, those at the training temperature first. */
  readonly evaluated: readonly EvaluatedReward[];
}

export type SweepBasis =
  /** The latest evaluation that all runs share. */
  | { readonly kind: "evaluation"; readonly cell: string; readonly step: number }
  /** The mean reward of the last steps. */
  | { readonly kind: "reward" }
  /** The newest held-out loss, or the mean loss of the last steps. */
  | { readonly kind: "heldOut" | "now" };

/** Number of steps to average; the reward of a single step says little. */
const LAST_STEPS = 5;

export function lastRewardsMean(rewards: readonly (number | null)[]): number | null {
  const known = rewards.slice(-LAST_STEPS).filter((reward) => reward !== null);
  return known.length === 0 ? null : mean(known);
}

/** Chooses the measure. Null stands for a run that was not started. */
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

/** Held-out loss if all supervised runs have one. */
export function lossKind(runs: readonly Pick<SweepMeasures, "fit">[]): "heldOut" | "now" {
  return runs.every(({ fit }) => fit?.heldOut !== null) ? "heldOut" : "now";
}

/** Whether a run counts: it is done, or as long as the longest. */
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
    // Before the first step, settings have no visible effect.
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
