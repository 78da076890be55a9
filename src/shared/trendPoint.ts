/** The value of a step for a trend, and how sure it is. */

import { mean } from "./mean.ts";

/** A value for each step that has one. */
export interface TrendPoint {
  readonly step: number;
  readonly value: number;
  /** That it is a mean over. */
  readonly groups?: number;
  /** Standard error of the value, by the groups that it is a mean over. */
  readonly error?: number;
}

/** A mean over fewer of its rollouts ends no run and chooses no checkpoint: what is missing may be what went wrong. */
export const MIN_SCORED_SHARE = 0.9;

/** As {@link rewardPointOf}; null, too, where the mean may decide nothing, because fewer than 90% of the rollouts are scored. */
export function decidingPointOf(
  step: number,
  metric: (name: string) => number | null,
): TrendPoint | null {
  const scored = metric("rollout/scored_frac");
  return scored !== null && scored < MIN_SCORED_SHARE ? null : rewardPointOf(step, metric);
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
  const groups = metric("rollout/reward/groups");
  if (groups === null) return { step, value };
  const groupStd = metric("rollout/reward/group_std");
  if (groupStd === null) return { step, value, groups };
  return { step, value, groups, error: groupStd / Math.sqrt(groups) };
}

/** So many groups of a step agree too often by chance. */
const FEW_GROUPS = 2;

/**
 * The squared standard errors of values in rising order of steps; null where one of them says nothing of what it is a mean over. One
 * or two groups do not show how far tasks differ; neighboring steps do.
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

/** The same, none less than their mean: where the few groups of a step happen to agree, it is no surer than the others. */
export function cautiousSquares(points: readonly TrendPoint[]): readonly number[] | null {
  const squares = squaredErrors(points);
  if (squares === null) return null;
  const usual = mean(squares);
  return squares.map((own) => Math.max(usual, own));
}
