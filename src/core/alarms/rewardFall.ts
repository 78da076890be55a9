/** How far the mean reward has fallen from its best, where that is more than chance. */

import { mean } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { squaredError } from "./rewardLevel.ts";
import { MIN_SAMPLES } from "./samples.ts";

/** The mean reward of a step, with its squared standard error by the groups that it is a mean over. */
export interface StepReward {
  readonly step: number;
  readonly reward: number;
  readonly variance: number;
  readonly groups: number;
}

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

/** Null where the step has too few rollouts, or too few of them a reward, or the row says nothing of the error. */
export function stepReward(facts: AlarmFacts): StepReward | null {
  const { scored, decidingPoint: point, rewardStd } = facts;
  if (point === null || scored < MIN_SAMPLES || (point.error ?? rewardStd) === null) return null;
  const { step, value, groups = 1 } = point;
  return { step, reward: value, variance: squaredError(facts), groups };
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
export function rewardFall(rewards: readonly StepReward[]): RewardFall | null {
  const usual = mean(rewards.map(({ variance }) => variance)) ?? 0;
  const degrees = rewards.reduce((sum, { groups }) => sum + Math.max(0, groups - 1), 0);
  // Few groups show little of the noise: about Student's t.
  let bound = sureErrors(rewards.length) * (1 + 4 / degrees);
  const sizes = WINDOW_STEPS.filter((size) => size <= rewards.length);
  const ends = sizes.map((size) => windowAt(rewards, rewards.length - size, { size, usual }));
  let surest: Pair | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  for (const size of sizes) {
    for (let start = 0; start + size <= rewards.length; start += 1) {
      const from = windowAt(rewards, start, { size, usual });
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
    if (from.reward <= to.reward || from.lastStep >= to.firstStep) continue;
    const own = (from.reward - to.reward) / Math.sqrt(from.variance + to.variance);
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

/** A window of so many steps. `usual`: mean variance of a step, so that steps that happen to agree are not taken for sure. */
function windowAt(
  rewards: readonly StepReward[],
  start: number,
  { size, usual }: { readonly size: number; readonly usual: number },
): Window {
  let [reward, variance] = [0, 0];
  for (let at = start; at < start + size; at += 1) {
    reward += (rewards[at]?.reward ?? 0) / size;
    variance += (rewards[at]?.variance ?? 0) / size;
  }
  return {
    firstStep: rewards[start]?.step ?? 0,
    lastStep: rewards[start + size - 1]?.step ?? 0,
    reward,
    variance: Math.max(usual, variance) / size,
  };
}
