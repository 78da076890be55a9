/** Estimates a supervised stage whose examples an earlier stage will produce. Each example is assumed to be like a successful rollout. */

import type { Config } from "../config/fields/schema.ts";
import { costOf, type Prices } from "../usage/prices.ts";
import { mean } from "../util/stats.ts";
import type { MeasuredRollout, PlayedSteps } from "./basis.ts";
import type { Estimate, EstimateRange } from "./estimate.ts";
import { type EstimatePlan, planWithoutRollouts } from "./plan.ts";

/** Factor by which examples may be longer or shorter. */
const CHANGE = 1.25;

/** Excludes evaluations, as for counted examples. Without `max_steps`, one step, because the number of examples is unknown. */
export function unseenExamplesEstimate(
  { max_steps: maxSteps, batch_size: batch }: Pick<Config, "batch_size" | "max_steps">,
  { groups }: Pick<PlayedSteps, "groups">,
  prices: Prices | null,
): { readonly estimate: Estimate; readonly plan: EstimatePlan } {
  const steps = maxSteps ?? 1;
  const length = typicalLength(groups.flatMap(({ rollouts }) => rollouts));
  const tokens = steps * batch * length;
  const trained = { mean: tokens, low: tokens / CHANGE, high: tokens * CHANGE };
  const cost = (own: number): number =>
    prices === null
      ? 0
      : costOf({ sampled: 0, prefill_cached: 0, prefill_uncached: 0, trained: own }, prices);
  return {
    estimate: {
      tokens: { sampled: NONE, prefill_cached: NONE, prefill_uncached: NONE, trained },
      totalTokens: trained,
      evaluationTokens: NONE,
      costUsd:
        prices === null
          ? null
          : { mean: cost(trained.mean), low: cost(trained.low), high: cost(trained.high) },
      hours: null,
      steps,
      unplayed: [],
    },
    plan: planWithoutRollouts(maxSteps),
  };
}

const NONE: EstimateRange = { mean: 0, low: 0, high: 0 };

/** Mean tokens of rollouts with more than the lowest reward; of all rollouts if all have the same reward. */
function typicalLength(all: readonly MeasuredRollout[]): number {
  const rollouts = all.filter(({ data }) => data > 0);
  const rewards = rollouts.flatMap(({ reward }) => reward ?? []);
  const lowest = rewards.reduce((least, own) => Math.min(least, own), Number.POSITIVE_INFINITY);
  const good = rollouts.filter(({ reward }) => reward !== null && reward > lowest);
  return mean((good.length > 0 ? good : rollouts).map(({ data }) => data)) ?? 0;
}
