/** The rewards of steps as far as they may decide something: for a target, and for what a run reached at best. */

import { type BestReward, withReward } from "../../../shared/bestReward.ts";
import type { MetricsRow } from "./metricsTree.ts";
import { rewardPoint } from "./trendMetrics.ts";

/** The mean reward of a step; null without one, and where fewer than 90 % of its rollouts are scored. */
export function decidingReward(row: MetricsRow): number | null {
  return rewardPoint(row)?.value ?? null;
}

/** With the next row; one whose reward may decide nothing changes nothing. */
export function withStepReward(before: BestReward, row: MetricsRow): BestReward {
  const reward = decidingReward(row);
  return reward === null ? before : withReward(before, reward, row.step);
}
