import type { EstimatePlan } from "../../../src/core/estimate/plan.ts";

/** 10 steps of 20 groups of 4 rollouts in one environment, without evaluations. */
export function aPlan(changes: Partial<EstimatePlan> = {}): EstimatePlan {
  return {
    steps: 10,
    environments: [{ name: "a", groups: 20, rollouts: 4 }],
    mostBatches: 1,
    groupsInData: null,
    passes: { forward: 0, trained: 1 },
    trainsOnEqual: false,
    atOnce: 8,
    isAhead: false,
    evaluations: { count: 0, afterLastStep: 0, rollouts: [] },
    ...changes,
  };
}
