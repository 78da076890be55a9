/** One step's value for a trend, and its uncertainty. */

import { mean } from "./mean.ts";

/** The value of a step that has one. */
export interface TrendPoint {
  readonly step: number;
  readonly value: number;
  /** Number of groups in the mean. */
  readonly groups?: number;
  /** Standard error of the value, across those groups. */
  readonly error?: number;
}

/** With a smaller share of scored rollouts, the mean ends no run and selects no checkpoint: the missing ones may be what went wrong. */
export const MIN_SCORED_SHARE = 0.9;

/** Like {@link rewardPointOf}; also null when under 90% of the rollouts are scored, because such a mean may decide nothing. */
export function decidingPointOf(
  step: number,
  metric: (name: string) => number | null,
): TrendPoint | null {
  const scored = metric("rollout/scored_frac");
  return scored !== null && scored < MIN_SCORED_SHARE ? null : rewardPointOf(step, metric);
}

/**
 * A step's mean reward, with its standard error across the groups that have a reward; null without a scored rollout. `metric` reads a
 * metric by its flat name from the step's row.
 */
export function rewardPointOf(
  step: number,
  metric: (name: string) => number | null,
): TrendPoint | null {
  const value = metric("rollout/reward/mean");
  if (value === null) return null;
  const groups = metric("rollout/reward/groups");
  if (groups === null) return { step, value };
  const groupStd = metric("rollout/reward/group_std");
  if (groupStd === null) return { step, value, groups };
  return { step, value, groups, error: groupStd / Math.sqrt(groups) };
}

/** With this few groups, agreement is too often chance. */
const FEW_GROUPS = 2;

/**
 * The squared standard errors of values in ascending order of steps; null if one of them cannot be estimated. One or two groups do
 * not show the variance between tasks, so neighboring steps are used.
 */
export function squaredErrors(points: readonly TrendPoint[]): readonly number[] | null {
  const squares = points.map(({ value, groups, error }, i) => {
    if (error !== undefined && (groups === undefined || groups > FEW_GROUPS)) return error ** 2;
    const neighbors = [points[i - 1], points[i + 1]].flatMap((point) => point?.value ?? []);
    if (groups === undefined || neighbors.length === 0) return Number.NaN;
    const ofNeighbors = mean(neighbors.map((other) => (value - other) ** 2)) / 2;
    return Math.max(ofNeighbors, (error ?? 0) ** 2);
  });
  return squares.some(Number.isNaN) ? null : squares;
}

/** Like {@link squaredErrors}, but at least their mean: a step whose few groups happen to agree is no more certain than the others. */
export function cautiousSquares(points: readonly TrendPoint[]): readonly number[] | null {
  const squares = squaredErrors(points);
  if (squares === null) return null;
  const usual = mean(squares);
  return squares.map((own) => Math.max(usual, own));
}
