/** The mean reward of a few steps, and how sure that mean is. */

import { mean } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { MIN_SAMPLES } from "./samples.ts";

export interface RewardLevel {
  readonly reward: number;
  /** Squared standard error. */
  readonly variance: number;
}

/** Steps whose mean stands for one level. */
export const LEVEL_STEPS = 3;
/** Standard errors on both sides of a mean within its 95 % interval. */
const INTERVAL = 2 * 1.96;

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

/** From the interval that the row has; rows of older versions have the standard deviation alone. */
function squaredError({ rewardInterval, rewardStd, scored }: AlarmFacts): number {
  if (rewardInterval !== null) return (rewardInterval / INTERVAL) ** 2;
  return (rewardStd ?? 0) ** 2 / scored;
}
