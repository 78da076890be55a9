/**
 * Detects a significant fall of the mean reward from its peak. Unlike a trend, which is computed on request, this is checked
 * after every step, so it must almost never be wrong over a whole run, yet notice a collapse within a few steps.
 */

import { cautiousSquares, type TrendPoint } from "../../shared/trendPoint.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { MIN_SAMPLES } from "./samples.ts";

/** The fall from the best window to the last; steps count from 0. */
export interface RewardFall {
  readonly from: Window;
  readonly to: Window;
  /** Lost share of the range between the lowest and the best level. */
  readonly lostShare: number;
}

interface Window {
  readonly firstStep: number;
  readonly lastStep: number;
  readonly reward: number;
  /** Squared standard error. */
  readonly variance: number;
}

/** Window sizes in steps. A single step would fire on one bad step. */
const WINDOW_STEPS = [2, 3, 4, 6, 8, 12, 16] as const;
/** Relative difference below which mean rewards count as equal; without it, any difference would be significant if no group varies. */
const ROUNDING = 1e-6;

/** The mean reward of a step; null if it has too few rollouts or too few scored ones. */
export function stepReward({ scored, decidingPoint }: AlarmFacts): TrendPoint | null {
  return scored < MIN_SAMPLES ? null : decidingPoint;
}

interface Pair {
  readonly from: Window;
  readonly to: Window;
  /** How far the second is below the first, in standard errors. */
  readonly errors: number;
}

/**
 * The most significant fall to the last steps; null if none is significant. `rewards` covers all steps so far. This runs after
 * every step and the number of windows grows, so windows are computed in place.
 */
export function rewardFall(rewards: readonly TrendPoint[]): RewardFall | null {
  const variances = cautiousSquares(rewards);
  if (variances === null) return null;
  const series = { rewards, variances };
  const within = rewards.reduce((sum, { groups = 1 }) => sum + groups - 1, 0);
  // With one group per step, the noise shows in the differences between steps.
  const degrees = Math.max(within, rewards.length - 1);
  // Approximates Student's t: few groups give an uncertain noise estimate.
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

/** The most significant fall from one window to any of the last ones, if it exceeds `errors`. */
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
 * Number of standard errors by which the last window must be below the best. A single test would need 3; here all pairs of steps
 * are tested, each exceeding the bound with a probability of about exp(-bound² / 2). A constant reward exceeds it in about 1 of
 * 100 runs.
 */
function sureErrors(steps: number): number {
  return Math.sqrt(7 + 2 * Math.log(steps ** 2));
}

/** One entry per step each. */
interface Series {
  readonly rewards: readonly TrendPoint[];
  readonly variances: readonly number[];
}

/** The window of `size` steps at `start`. */
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
