/** The rewards of steps as far as they may decide something: for a target, and for what a run reached at best. */

import { type BestReward, decidingMean, withReward } from "../../../shared/bestReward.ts";
import { type MetricsRow, metricAt } from "./metricsTree.ts";

/** The mean reward of a step; null without one, and where fewer than 90 % of its rollouts are scored. */
export function decidingReward(row: MetricsRow): number | null {
  return decidingMean(metricAt(row, "rollout/reward/mean"), metricAt(row, "rollout/scored_frac"));
}

/** With the next row; one whose reward may decide nothing changes nothing. */
export function withStepReward(before: BestReward, row: MetricsRow): BestReward {
  return withReward(before, decidingReward(row), row.step);
}
