/** The mean reward of a few steps, and how sure that mean is. */

import { mean } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { isLearnt, MIN_SAMPLES } from "./samples.ts";

export interface RewardLevel {
  readonly reward: number;
  /** Squared standard error. */
  readonly variance: number;
}

/** Steps whose mean stands for one level. */
export const LEVEL_STEPS = 3;

/** Of the last steps; null when one of them has too few rollouts. Rollouts of one task count as the group that they are. */
export function rewardLevel(steps: readonly AlarmFacts[]): RewardLevel | null {
  const last = steps.slice(-LEVEL_STEPS);
  const rewards = last.flatMap(({ reward, scored }) =>
    reward === null || scored < MIN_SAMPLES ? [] : reward,
  );
  if (rewards.length < LEVEL_STEPS) return null;
  const variance = mean(last.map(squaredError)) ?? 0;
  return { reward: mean(rewards) ?? 0, variance: variance / LEVEL_STEPS };
}

/** Whether the reward rose from the `first` to the `last` steps by more than a standard error, and whether nearly all rollouts succeed. Null = too little to judge by. */
export function rewardChange(
  first: readonly AlarmFacts[],
  last: readonly AlarmFacts[],
): { readonly hasRisen: boolean; readonly isLearnt: boolean } | null {
  const [before, now] = [rewardLevel(first), rewardLevel(last)];
  if (before === null || now === null) return null;
  const error = Math.sqrt(before.variance + now.variance);
  return {
    hasRisen: now.reward - before.reward > error,
    isLearnt: last.every(isLearnt),
  };
}

/** Of the mean of a step. Where groups show no error, each counts as one rollout. */
export function squaredError({ rewardPoint, rewardStd }: AlarmFacts): number {
  const { groups = 1, error = (rewardStd ?? 0) / Math.sqrt(groups) } = rewardPoint ?? {};
  return error ** 2;
}
