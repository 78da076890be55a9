/** What a run is going to do, as far as its configuration and its tasks say. */

import type { UpdatePasses } from "../config/rules/updateCost.ts";

export interface EstimatePlan {
  /** Null = endless: one step is estimated. */
  readonly steps: number | null;
  readonly environments: readonly PlannedEnvironment[];
  /** How many batches `refill` may take for one of groups that have a signal; 1 without. */
  readonly mostBatches: number;
  /** Groups that the data holds, over all epochs; null = endless. */
  readonly groupsInData: number | null;
  /** Over the training data of a step. */
  readonly passes: UpdatePasses;
  /** True where a group of equal rewards is also trained on. */
  readonly trainsOnEqual: boolean;
  /** Rollouts that are played at the same time. */
  readonly atOnce: number;
  /** True when a step trains while the next one is sampled. */
  readonly isAhead: boolean;
  readonly evaluations: PlannedEvaluations;
}

export interface PlannedEnvironment {
  readonly name: string;
  /** In all steps, without what `refill` adds. */
  readonly groups: number;
  readonly rollouts: number;
}

export interface PlannedEvaluations {
  readonly count: number;
  /** How many of these run when no rollouts of a step run at the same time. */
  readonly afterLastStep: number;
  /** Rollouts per evaluation. */
  readonly rollouts: readonly { readonly environment: string; readonly count: number }[];
}

/** Of steps that play nothing. */
export function planWithoutRollouts(steps: number | null): EstimatePlan {
  return {
    steps,
    environments: [],
    mostBatches: 1,
    groupsInData: null,
    passes: { forward: 0, trained: 1 },
    trainsOnEqual: false,
    atOnce: 1,
    isAhead: false,
    evaluations: { count: 0, afterLastStep: 0, rollouts: [] },
  };
}
