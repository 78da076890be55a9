/** Planned work of a run, derived from its configuration and tasks. */

import type { UpdatePasses } from "../config/rules/updateCost.ts";

export interface EstimatePlan {
  /** Null = endless. Then one step is estimated. */
  readonly steps: number | null;
  readonly environments: readonly PlannedEnvironment[];
  /** Maximum number of batches that `refill` may take for one step; 1 without `refill`. */
  readonly mostBatches: number;
  /** Number of groups in the data over all epochs; null = endless. */
  readonly groupsInData: number | null;
  /** Passes over the training data of a step. */
  readonly passes: UpdatePasses;
  /** True if groups with equal rewards are also trained on. */
  readonly trainsOnEqual: boolean;
  /** Number of concurrent rollouts. */
  readonly atOnce: number;
  /** True if a step trains while the next one samples. */
  readonly isAhead: boolean;
  readonly evaluations: PlannedEvaluations;
}

export interface PlannedEnvironment {
  readonly name: string;
  /** In all steps, without additional groups from `refill`. */
  readonly groups: number;
  readonly rollouts: number;
}

export interface PlannedEvaluations {
  readonly count: number;
  /** How many of these run without rollouts of a step in parallel. */
  readonly afterLastStep: number;
  /** Rollouts per evaluation. */
  readonly rollouts: readonly {
    readonly environment: string;
    readonly temperature: number;
    readonly count: number;
  }[];
}

/** Plan for steps without rollouts. */
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
