/** What counts as a failed rollout and as a success: one definition for metrics, evaluations, targets, checkpoints and alarms. */

import { MIN_SCORED_SHARE } from "../../../shared/trendPoint.ts";
import { summarize } from "../../util/stats.ts";

/** A rollout that has ended; its reward is null if it failed. */
export interface Outcome {
  readonly reward: number | null;
}

/** Rounding error allowed for sums of rewards. */
const TOLERANCE = 1e-8;
/** Rewards of a group closer than this count as equal, or else a normalized advantage would amplify rounding; same value as verl's. */
const EQUAL_REWARDS = 1e-6;

export function isFailed({ reward }: Outcome): boolean {
  return reward === null;
}

/** A failed rollout is never a success, whatever `successReward` is. */
export function isSuccess({ reward }: Outcome, successReward: number): boolean {
  return reward !== null && reward >= successReward - TOLERANCE;
}

/** True if all rewards are equal, so that comparing them yields nothing. */
export function areEqualRewards(rewards: readonly number[]): boolean {
  const { min, max } = summarize(rewards);
  return (max ?? 0) - (min ?? 0) < EQUAL_REWARDS;
}

/** True if enough of the `rollouts` are scored for their mean to be used in decisions. */
export function areEnoughScored(scored: number, rollouts: number): boolean {
  return rollouts > 0 && scored >= MIN_SCORED_SHARE * rollouts;
}

/** The reward a failed rollout counts with: the lowest reward of `outcomes`, but at most 0, so that failing never pays. */
export function failureReward(outcomes: Iterable<Outcome>): number {
  let lowest = 0;
  for (const { reward } of outcomes) lowest = Math.min(lowest, reward ?? 0);
  return lowest;
}
