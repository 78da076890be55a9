/** The mean reward of a few steps, and whether it rose between two such windows. */

import { sum } from "../../shared/mean.ts";
import { squaredErrors } from "../../shared/trendPoint.ts";
import { mean } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { isLearned, MIN_SAMPLES } from "./samples.ts";

/** Number of steps averaged into one level. */
export const LEVEL_STEPS = 3;

/** The level of the last steps; null if one of them has too few rollouts. */
export function rewardLevel(steps: readonly AlarmFacts[]): number | null {
  const rewards = steps
    .slice(-LEVEL_STEPS)
    .flatMap(({ reward, scored }) => (reward === null || scored < MIN_SAMPLES ? [] : reward));
  return rewards.length < LEVEL_STEPS ? null : mean(rewards);
}

/** Whether the reward rose by more than a standard error, and whether nothing is left to learn. Null = too little data. */
export function rewardChange(
  first: readonly AlarmFacts[],
  last: readonly AlarmFacts[],
): { readonly hasRisen: boolean; readonly isLearned: boolean } | null {
  const [before, now] = [rewardLevel(first), rewardLevel(last)];
  const compared = [first, last].flatMap((steps) => steps.slice(-LEVEL_STEPS));
  const squares = squaredErrors(compared.flatMap(({ rewardPoint }) => rewardPoint ?? []));
  if (before === null || now === null || squares === null) return null;
  const error = Math.sqrt(sum(squares)) / LEVEL_STEPS;
  return { hasRisen: now - before > error, isLearned: last.every(isLearned) };
}
