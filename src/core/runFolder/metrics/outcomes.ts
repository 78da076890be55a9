/** What counts as a failed rollout, and what as a success: one definition for metrics, evaluations, targets, checkpoints and alarms. */

import { MIN_SCORED_SHARE } from "../../../shared/bestReward.ts";
import { summarize } from "../../util/stats.ts";

/** A rollout that has ended; its reward is null when it failed. */
export interface Outcome {
  readonly reward: number | null;
}

/** Sums of rewards miss their exact value by less. */
const TOLERANCE = 1e-8;
/** Rewards of a group closer than this are equal: a normalized advantage would make a large one of their rounding; verl adds as much. */
const EQUAL_REWARDS = 1e-6;

export function isFailed({ reward }: Outcome): boolean {
  return reward === null;
}

/** A failed rollout is never a success, whatever `successReward` is. */
export function isSuccess({ reward }: Outcome, successReward: number): boolean {
  return reward !== null && reward >= successReward - TOLERANCE;
}

/** True when no reward differs from another, so that a comparison of them says nothing. */
export function areEqualRewards(rewards: readonly number[]): boolean {
  const { min, max } = summarize(rewards);
  return (max ?? 0) - (min ?? 0) < EQUAL_REWARDS;
}

/** True when a mean over `scored` of `rollouts` may decide something. */
export function areEnoughScored(scored: number, rollouts: number): boolean {
  return rollouts > 0 && scored >= MIN_SCORED_SHARE * rollouts;
}

/** What a failed rollout counts as among `outcomes`: the smaller of 0 and their lowest reward, so that failing never pays. */
export function failureReward(outcomes: Iterable<Outcome>): number {
  let lowest = 0;
  for (const { reward } of outcomes) lowest = Math.min(lowest, reward ?? 0);
  return lowest;
}
