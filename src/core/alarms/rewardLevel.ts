/** The mean reward of a few steps, and whether it rose from one to another. */

import { sum } from "../../shared/mean.ts";
import { squaredErrors } from "../../shared/trendPoint.ts";
import { mean } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { isLearnt, MIN_SAMPLES } from "./samples.ts";

/** Steps whose mean stands for one level. */
export const LEVEL_STEPS = 3;

/** Covers the last steps; null when one of them has too few rollouts. */
export function rewardLevel(steps: readonly AlarmFacts[]): number | null {
  const rewards = steps
    .slice(-LEVEL_STEPS)
    .flatMap(({ reward, scored }) => (reward === null || scored < MIN_SAMPLES ? [] : reward));
  return rewards.length < LEVEL_STEPS ? null : mean(rewards);
}

/** Whether the reward rose from the `first` to the `last` steps by more than a standard error, and whether nearly all rollouts succeed. Null = too little to judge by. */
export function rewardChange(
  first: readonly AlarmFacts[],
  last: readonly AlarmFacts[],
): { readonly hasRisen: boolean; readonly isLearnt: boolean } | null {
  const [before, now] = [rewardLevel(first), rewardLevel(last)];
  const compared = [first, last].flatMap((steps) => steps.slice(-LEVEL_STEPS));
  const squares = squaredErrors(compared.flatMap(({ rewardPoint }) => rewardPoint ?? []));
  if (before === null || now === null || squares === null) return null;
  const error = Math.sqrt(sum(squares)) / LEVEL_STEPS;
  return { hasRisen: now - before > error, isLearnt: last.every(isLearnt) };
}
