/** The environments in a run's rows. With several, the mean over all also depends on how many tasks each one had. */

import { flattenMetrics, type MetricsTree } from "./metricsTree.ts";

const REWARD_NAME = /^rollout\/env\/(.+)\/reward\/mean$/;

/** The metric name for an environment's mean reward, with a name from {@link rewardedEnvironments}. */
export function environmentReward(name: string): string {
  return `rollout/env/${name}/reward/mean`;
}

/** The environments' names in the rows, sorted; empty if there is only one. */
export function rewardedEnvironments(rows: readonly MetricsTree[]): readonly string[] {
  const names = rows.flatMap((row) =>
    Object.keys(flattenMetrics(row)).flatMap((key) => REWARD_NAME.exec(key)?.[1] ?? []),
  );
  const distinct = [...new Set(names)].sort();
  return distinct.length > 1 ? distinct : [];
}
