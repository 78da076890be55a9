/** The rewards of steps as far as they may decide something: for a target, and for what a run reached at best. */

import { mean } from "../../util/stats.ts";
import type { MetricsRow } from "./metricsTree.ts";
import { rewardPoint } from "./trendMetrics.ts";

/** Steps behind the best reward: the highest of many single steps is mostly luck, and grows with the length of the run. */
const BEST_STEPS = 5;

/** The mean reward of a step; null without one, and where fewer than 90 % of its rollouts are scored. */
export function decidingReward(row: MetricsRow): number | null {
  return rewardPoint(row)?.value ?? null;
}

/** What a run reached at best, read row by row. */
export interface BestReward {
  /** Of the last steps, at most five. */
  readonly recent: readonly number[];
  /** The highest mean over five steps in a row, or over all of a shorter run; `step` is the last of them, from 1. */
  readonly best: { readonly value: number; readonly step: number } | null;
}

export const NO_BEST: BestReward = { recent: [], best: null };

/** With the next row; one whose reward may decide nothing changes nothing. */
export function withStepReward(before: BestReward, row: MetricsRow): BestReward {
  const reward = decidingReward(row);
  if (reward === null) return before;
  const recent = [...before.recent, reward].slice(-BEST_STEPS);
  const value = mean(recent) ?? reward;
  const isShort = before.recent.length < BEST_STEPS;
  const isBest = isShort || before.best === null || value > before.best.value;
  return { recent, best: isBest ? { value, step: row.step + 1 } : before.best };
}
