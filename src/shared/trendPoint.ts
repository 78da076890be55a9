/** The value of a step for a trend, and how sure it is. */

/** A value for each step that has one. */
export interface TrendPoint {
  readonly step: number;
  readonly value: number;
  /** That it is a mean over. */
  readonly groups?: number;
  /** Standard error of the value, by the groups that it is a mean over. */
  readonly error?: number;
}

/**
 * The mean reward of a step, with its error by the groups that have a reward; null without a scored rollout. `metric` gives the value
 * of a flat name in the row of the step.
 */
export function rewardPointOf(
  step: number,
  metric: (name: string) => number | null,
): TrendPoint | null {
  const value = metric("rollout/reward/mean");
  if (value === null) return null;
  // Rows of earlier versions count the groups without a reward, too.
  const groups = metric("rollout/reward/groups") ?? metric("group/size/count");
  if (groups === null) return { step, value };
  const groupStd = metric("rollout/reward/group_std");
  if (groupStd === null) return { step, value, groups };
  return { step, value, groups, error: groupStd / Math.sqrt(groups) };
}
