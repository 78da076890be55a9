/** 95% confidence intervals for means over tasks. Rollouts of one task are correlated, so tasks are the observations. */

import { mean, sum } from "./mean.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A mean with the bounds of its 95% confidence interval, which are null where there is none. */
export interface MeanInterval {
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** The difference between two evaluations, task by task. */
export interface PairedDifference extends MeanInterval {
  /** Number of shared tasks. */
  readonly tasks: number;
  /** Tasks whose mean reward is higher or lower than in the first evaluation. */
  readonly better: number;
  readonly worse: number;
}

/** The 0.975 quantile of the normal distribution. */
const NORMAL = 1.959964;
/** With fewer shared tasks, two evaluations say too little about their difference. */
export const MIN_PAIRS = 8;
/** Sums of equal values differ by less than this. */
const ROUNDING = 1e-9;
/** Tasks with all-equal rollouts to add, as a fraction of the number of tasks. */
const ALIKE_SHARE = 0.25;
const NO_BOUNDS: Interval = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/**
 * The interval of the mean reward over `tasks`, each with the rewards of its rollouts. Rewards are assumed to lie in [0, 1] if all of them
 * do, otherwise between the lowest and the highest of them. See {@link meanInterval}.
 */
export function rewardInterval(tasks: Iterable<readonly number[]>): Interval | null {
  const known = [...tasks];
  return meanInterval(known, rewardRange(known));
}

/**
 * The interval of the mean over all values, clipped to `range`. Null below two tasks, and when all values are equal but not an end of the
 * range, because nothing then shows their variance.
 *
 * If every value is one of the two ends (success or failure), this is Wilson's score interval (1927) with an effective sample size: the
 * number of tasks if each has one outcome, otherwise p(1 - p) / SE², clamped between the number of tasks and of outcomes, with Student's t
 * (the effective sample size of Korn and Graubard 1998). A fifth of this SE² is from added tasks whose rollouts all agree, because tasks
 * that rarely succeed look more alike than they are. Otherwise it is m ± t(G - 1) · SE, with SE² = G / (G - 1) · Σ_g (Σ_i (x_gi - m))² / N²
 * for G tasks and N values (Cameron and Miller 2015).
 */
export function meanInterval(
  tasks: Iterable<readonly number[]>,
  range: Interval = NO_BOUNDS,
): Interval | null {
  const filled = [...tasks].filter(({ length }) => length > 0);
  const values = filled.flat();
  const groups = filled.length;
  if (groups < 2) return null;
  const average = mean(values);
  const perTask = values.length / groups;
  const deviations = filled.map((own) => sum(own.map((value) => value - average)) / perTask);
  const squares = sum(deviations.map((deviation) => deviation ** 2));
  if (areEnds(values, range)) {
    const span = range.high - range.low;
    const share = (average - range.low) / span;
    const variance = share * (1 - share);
    const alike = ALIKE_SHARE * groups;
    const squaredError = (squares / span ** 2 + alike * variance) / (groups + alike - 1) / groups;
    const worth = variance === 0 ? groups : variance / squaredError;
    const count = Math.min(Math.max(worth, groups), values.length);
    const { low, high } = wilson(share, count, perTask === 1 ? NORMAL : t975(groups - 1));
    return { low: range.low + span * low, high: range.low + span * high };
  }
  return around(average, t975(groups - 1) * Math.sqrt(squares / (groups - 1) / groups), range);
}

/**
 * The interval of the mean over tasks of several strata that have fixed shares of them, clipped as in {@link rewardInterval}: Student's t
 * with the variance within strata, which share it (Cochran, Sampling Techniques, 1977). Null without a variance.
 */
export function stratifiedInterval(
  strata: readonly (readonly (readonly number[])[])[],
): Interval | null {
  const tasks = strata.flat();
  const degrees = tasks.length - strata.length;
  if (degrees < 1) return null;
  const values = tasks.flat();
  const perTask = values.length / tasks.length;
  const squares = strata.flatMap((own) => {
    const average = mean(own.flat());
    return own.map((rewards) => (sum(rewards.map((value) => value - average)) / perTask) ** 2);
  });
  const error = Math.sqrt(sum(squares) / degrees / tasks.length);
  return around(mean(values), t975(degrees) * error, rewardRange(tasks));
}

/** The rewards of one task in two evaluations. */
export interface TaskPair {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * The interval of the mean per-task difference in mean reward, clipped to the possible range. Null below 8 tasks, and when all tasks differ
 * by the same amount in rewards that are not just success and failure.
 *
 * For success and failure with one rollout per task it is the adjusted interval of Bonett and Price (2012), which adds a better and a worse
 * task so that identical results do not yield a zero-width interval. With more rollouts, two rollouts are added instead: they weigh less
 * than a task, and the quantile is Student's t. Otherwise it is Student's t over tasks.
 */
export function pairedInterval(pairs: readonly TaskPair[]): Interval | null {
  const count = pairs.length;
  if (count < MIN_PAIRS) return null;
  const differences = pairs.map(({ before, after }) => mean(after) - mean(before));
  const lists = pairs.flatMap(({ before, after }) => [before, after]);
  const range = rewardRange(lists);
  const span = range.high - range.low;
  const bounds = { low: -span, high: span };
  const average = mean(differences);
  if (areEnds(lists.flat(), range)) {
    const rollouts = Math.max(...lists.map(({ length }) => length));
    const all = count + 2 / rollouts;
    const adjusted = (average * count) / all;
    const squares = sum(differences.map((value) => value ** 2)) + 2 * (span / rollouts) ** 2;
    const quantile = rollouts === 1 ? NORMAL : t975(count - 1);
    const reach = quantile * Math.sqrt((squares / all - adjusted ** 2) / all);
    return clipped({ low: adjusted - reach, high: adjusted + reach }, bounds);
  }
  const squares = sum(differences.map((value) => (value - average) ** 2));
  return around(average, t975(count - 1) * Math.sqrt(squares / (count - 1) / count), bounds);
}

function rewardRange(tasks: readonly (readonly number[])[]): Interval {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of tasks.flat()) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low >= 0 && high <= 1 ? { low: 0, high: 1 } : { low, high };
}

function areEnds(values: readonly number[], { low, high }: Interval): boolean {
  return low < high && values.every((value) => value === low || value === high);
}

/** Wilson's interval for a share of `count` outcomes; `count` need not be an integer. */
function wilson(share: number, count: number, quantile: number): Interval {
  const square = quantile ** 2;
  const whole = 1 + square / count;
  const centre = (share + square / (2 * count)) / whole;
  const variance = (share * (1 - share)) / count + square / (4 * count ** 2);
  const reach = (quantile * Math.sqrt(variance)) / whole;
  return clipped({ low: centre - reach, high: centre + reach }, { low: 0, high: 1 });
}

function around(mean: number, reach: number, range: Interval): Interval | null {
  const isEqual = reach <= ROUNDING * Math.max(1, Math.abs(mean));
  return isEqual ? null : clipped({ low: mean - reach, high: mean + reach }, range);
}

function clipped({ low, high }: Interval, range: Interval): Interval {
  return { low: Math.max(low, range.low), high: Math.min(high, range.high) };
}

/** The 0.975 quantile of Student's t for 1 to 10 degrees of freedom, from tables. */
const FEW = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/** Student's t at 0.975; beyond the table by the expansion in 1 / degrees (Abramowitz and Stegun 26.7.5), accurate to 0.003. */
function t975(degrees: number): number {
  const known = FEW[degrees - 1];
  if (known !== undefined) return known;
  const z = NORMAL;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  return z + first / degrees + second / degrees ** 2;
}
