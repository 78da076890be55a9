/** The reward's trend in a metrics row, so that views show what the run stored. */

import { type BestReward, withReward } from "../../../shared/bestReward.ts";
import { type Trend, trendOf } from "../../../shared/trend.ts";
import { decidingPointOf, type TrendPoint } from "../../../shared/trendPoint.ts";
import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import type { MetricColumns } from "./metricColumns.ts";
import { type MetricsRow, type MetricsTree, metricAt } from "./metricsTree.ts";

const DIRECTIONS = { rising: 1, flat: 0, falling: -1 } as const;

/** The point that a row adds to the trend; null if it has no reward, or too few scored rollouts. */
export function rewardPoint(row: MetricsRow): TrendPoint | null {
  return decidingPointOf(row.step, (name) => metricAt(row, name));
}

/** The row's `trend` branch. */
export function trendMetrics(trend: Trend): MetricsTree {
  if (trend.direction === "unclear") {
    return withoutUndefined({ steps: trend.steps, groups: trend.groups ?? undefined });
  }
  const { direction, since, steps, was, now, slope, slopeError } = trend;
  return {
    direction: DIRECTIONS[direction],
    since,
    steps,
    was,
    now,
    slope,
    slope_error: slopeError,
  };
}

/** Null if the row has no trend, such as one of another program. `metric` looks up a value by flat name. */
export function storedTrend(metric: (name: string) => number | null): Trend | null {
  const number = (name: string): number | null => metric(`trend/${name}`);
  const steps = number("steps");
  if (steps === null) return null;
  const sign = number("direction");
  const [since, was, now] = [number("since"), number("was"), number("now")];
  if (sign === null || since === null || was === null || now === null) {
    return { direction: "unclear", steps, groups: number("groups") };
  }
  return {
    direction: sign > 0 ? "rising" : sign < 0 ? "falling" : "flat",
    since,
    steps,
    was,
    now,
    slope: number("slope") ?? 0,
    slopeError: number("slope_error") ?? 0,
  };
}

/** Computes the trend from the rewards of all rows; null if there are none. */
export function trendOfColumns(metrics: MetricColumns): Trend | null {
  const columns = new Map<string, Float64Array>();
  const valueAt = (name: string, row: number): number | null => {
    const values = columns.get(name) ?? metrics.values(name);
    columns.set(name, values);
    const value = values[row] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  };
  const points = [...metrics.steps()].flatMap(
    (step, row) => decidingPointOf(step, (name) => valueAt(name, row)) ?? [],
  );
  return points.length === 0 ? null : trendOf(points);
}

/** The mean reward of a step; null if it has none, or if fewer than 90% of its rollouts are scored. */
export function decidingReward(row: MetricsRow): number | null {
  return rewardPoint(row)?.value ?? null;
}

/** Updates the best reward with the next row, unless too few of its rollouts are scored. */
export function withStepReward(before: BestReward, row: MetricsRow): BestReward {
  const reward = decidingReward(row);
  return reward === null ? before : withReward(before, reward, row.step);
}
