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
/** Null where the step has too few rollouts, or the row says nothing of the error. */
export function stepReward(facts: AlarmFacts): StepReward | null {
  const { step, reward, scored, groups, groupStd, rewardStd } = facts;
  if (reward === null || scored < MIN_SAMPLES || (groupStd ?? rewardStd) === null) return null;
  return { step, reward, variance: squaredError(facts), groups };
}

/** The surest fall to the last steps of a run; null where none is sure. `rewards`: of all steps so far. */
export function rewardFall(rewards: readonly StepReward[]): RewardFall | null {
  const usual = mean(rewards.map(({ variance }) => variance)) ?? 0;
  const degrees = rewards.reduce((sum, { groups }) => sum + Math.max(0, groups - 1), 0);
  // Few groups show little of the noise: about Student's t.
  const sure = sureErrors(rewards.length) * (1 + 4 / degrees);
  const windows = WINDOW_STEPS.flatMap((size) => windowsOf(rewards, size, usual));
  const end = rewards.at(-1)?.step;
  let surest: { from: Window; to: Window; errors: number } | null = null;
  for (const to of windows.filter(({ lastStep }) => lastStep === end)) {
    for (const from of windows) {
      if (from.lastStep >= to.firstStep) continue;
      const errors = (from.reward - to.reward) / Math.sqrt(from.variance + to.variance);
      if (errors > Math.max(sure, surest?.errors ?? 0)) surest = { from, to, errors };
    }
  }
  if (surest === null) return null;
  const { from, to } = surest;
  const lowest = windows.reduce((low, { reward }) => Math.min(low, reward), to.reward);
  return { from, to, lostShare: (from.reward - to.reward) / (from.reward - lowest) };
}

/**
 * Standard errors by which the last window must lie below the best. One look would need 3; all pairs of steps are looked at, and each
 * exceeds the bound with a probability of about exp(-bound² / 2). A reward that does not move passes it in about 1 of 100 runs.
 */
function sureErrors(steps: number): number {
  return Math.sqrt(7 + 2 * Math.log(steps ** 2));
}

/** All windows of so many steps. `usual`: mean variance of a step, so that steps that happen to agree are not taken for sure. */
function windowsOf(rewards: readonly StepReward[], size: number, usual: number): readonly Window[] {
  const windows: Window[] = [];
  for (let start = 0; start + size <= rewards.length; start += 1) {
    const own = rewards.slice(start, start + size);
    const variance = mean(own.map((each) => each.variance)) ?? 0;
    windows.push({
      firstStep: own[0]?.step ?? 0,
      lastStep: own.at(-1)?.step ?? 0,
      reward: mean(own.map(({ reward }) => reward)) ?? 0,
      variance: Math.max(usual, variance) / size,
    });
  }
  return windows;
}
