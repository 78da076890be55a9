/**
 * How far the mean reward has fallen from its best, where that is more than chance. A trend says where the reward goes now and is asked
 * for when someone looks; this looks after each step, must hardly ever be wrong in a whole run, and sees a collapse within a few steps.
 */

import { cautiousSquares, type TrendPoint } from "../../shared/trendPoint.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { MIN_SAMPLES } from "./samples.ts";

/** From the best of all windows to the last one; steps count from 0. */
export interface RewardFall {
  readonly from: Window;
  readonly to: Window;
  /** Share of the range between the lowest and the best level that is lost. */
  readonly lostShare: number;
}

interface Window {
  readonly firstStep: number;
  readonly lastStep: number;
  readonly reward: number;
  /** Squared standard error. */
  readonly variance: number;
}

/** Steps of a window. One alone would fire on a single bad step. */
const WINDOW_STEPS = [2, 3, 4, 6, 8, 12, 16] as const;
/** Means of equal rewards differ by less, as a share of a reward above 1; where no group differs, any difference would be sure. */
const ROUNDING = 1e-6;

/** The mean reward of a step; null where it has too few rollouts, or too few of them a reward. */
export function stepReward({ scored, decidingPoint }: AlarmFacts): TrendPoint | null {
  return scored < MIN_SAMPLES ? null : decidingPoint;
}

interface Pair {
  readonly from: Window;
  readonly to: Window;
  /** How far the second lies below the first, in standard errors. */
  readonly errors: number;
}

/**
 * The surest fall to the last steps of a run; null where none is sure. `rewards`: of all steps so far. It is asked for after each step, so
 * windows are read in place: their number grows with that of the steps.
 */
export function rewardFall(rewards: readonly TrendPoint[]): RewardFall | null {
  const variances = cautiousSquares(rewards);
  if (variances === null) return null;
  const series = { rewards, variances };
  const within = rewards.reduce((sum, { groups = 1 }) => sum + groups - 1, 0);
  // Steps of one group show the noise by how they differ.
  const degrees = Math.max(within, rewards.length - 1);
  // Few groups show little of the noise: about Student's t.
  let bound = sureErrors(rewards.length) * (1 + 4 / degrees);
  const sizes = WINDOW_STEPS.filter((size) => size <= rewards.length);
  const ends = sizes.map((size) => windowAt(series, rewards.length - size, size));
  let surest: Pair | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  for (const size of sizes) {
    for (let start = 0; start + size <= rewards.length; start += 1) {
      const from = windowAt(series, start, size);
      lowest = Math.min(lowest, from.reward);
      const surer: Pair | null = surerPair(from, ends, bound);
      if (surer === null) continue;
      surest = surer;
      bound = surer.errors;
    }
  }
  if (surest === null) return null;
  const { from, to } = surest;
  return { from, to, lostShare: (from.reward - to.reward) / (from.reward - lowest) };
}

/** The surest fall from one window to any of the last ones, if it is surer than `errors`. */
function surerPair(from: Window, ends: readonly Window[], errors: number): Pair | null {
  let surest: Pair | null = null;
  for (const to of ends) {
    const lost = from.reward - to.reward;
    const isRounding = lost <= ROUNDING * Math.max(1, Math.abs(from.reward));
    if (isRounding || from.lastStep >= to.firstStep) continue;
    const own = lost / Math.sqrt(from.variance + to.variance);
    if (own > (surest?.errors ?? errors)) surest = { from, to, errors: own };
  }
  return surest;
}

/**
 * Standard errors by which the last window must lie below the best. One look would need 3; all pairs of steps are looked at, and each
 * exceeds the bound with a probability of about exp(-bound² / 2). A reward that does not move passes it in about 1 of 100 runs.
 */
function sureErrors(steps: number): number {
  return Math.sqrt(7 + 2 * Math.log(steps ** 2));
}

/** One of each for a step. */
interface Series {
  readonly rewards: readonly TrendPoint[];
  readonly variances: readonly number[];
}

/** A window of so many steps. */
function windowAt({ rewards, variances }: Series, start: number, size: number): Window {
  let [reward, variance] = [0, 0];
  for (let at = start; at < start + size; at += 1) {
    reward += (rewards[at]?.value ?? 0) / size;
    variance += (variances[at] ?? 0) / size ** 2;
  }
  return {
    firstStep: rewards[start]?.step ?? 0,
    lastStep: rewards[start + size - 1]?.step ?? 0,
    reward,
    variance,
  };
}
