/** The environments of a run by the rewards in its rows: where there are several, a mean over all also follows how many tasks each had. */

import { flattenMetrics, type MetricsTree } from "./metricsTree.ts";

const REWARD_NAME = /^rollout\/env\/(.+)\/reward\/mean$/;

/** The metric of the mean reward in one environment, by the name that {@link rewardedEnvironments} gives it. */
export function environmentReward(name: string): string {
  return `rollout/env/${name}/reward/mean`;
}

/** Their names in the rows, in alphabetical order; none where there is only one. */
export function rewardedEnvironments(rows: readonly MetricsTree[]): readonly string[] {
  const names = rows.flatMap((row) =>
    Object.keys(flattenMetrics(row)).flatMap((key) => REWARD_NAME.exec(key)?.[1] ?? []),
  );
  const distinct = [...new Set(names)].sort();
  return distinct.length > 1 ? distinct : [];
}
