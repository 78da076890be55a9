/** The `group/…` metrics: how much the rollouts of a task differ, and which groups were excluded. */

import { groupBy } from "../../../shared/groupBy.ts";
import { fraction, mean, summarize } from "../../util/stats.ts";
import type { MetricsTree } from "./metricsTree.ts";
import { areEqualRewards, isSuccess } from "./outcomes.ts";
import { scoredOnly, stats } from "./rolloutMetrics.ts";
import type { GroupFacts, RolloutFacts } from "./stepFacts.ts";

/**
 * Each group is mixed, all good (equal rewards, success) or all bad (equal rewards, no success). Groups with fewer than two
 * rewards are none of these; `compared` counts the others.
 */
export function groupMetrics(
  groups: readonly GroupFacts[],
  rollouts: readonly RolloutFacts[],
): MetricsTree {
  const byGroup = groupBy(rollouts, ({ group }) => group);
  const spreads = groups
    .map(({ group }) => scoredOnly(byGroup.get(group) ?? []))
    .filter(({ length }) => length > 1)
    .map((scored) => ({ scored, rewards: scored.map(({ reward }) => reward ?? 0) }))
    .map(({ scored, rewards }) => ({
      ...summarize(rewards),
      isEqual: areEqualRewards(rewards),
      // All rollouts of a group are from one environment.
      successReward: scored[0]?.successReward ?? 0,
    }));
  const equal = spreads.filter(({ isEqual }) => isEqual);
  const good = equal.filter(({ mean: reward, successReward }) =>
    isSuccess({ reward }, successReward),
  );
  const excluded = groups.flatMap((group) => (group.excluded === null ? [] : [group.excluded]));
  const trained = groups.filter((group) => group.excluded === null);
  return {
    compared: spreads.length,
    size: stats(groups.map(({ group }) => byGroup.get(group)?.length ?? 0)),
    frac_mixed: fraction(spreads.length - equal.length, spreads.length),
    frac_all_good: fraction(good.length, spreads.length),
    frac_all_bad: fraction(equal.length - good.length, spreads.length),
    partial_frac: fraction(trained.filter(({ isPartial }) => isPartial).length, trained.length),
    reward_std: { mean: mean(spreads.flatMap(({ std }) => (std === null ? [] : [std]))) },
    excluded: countEach(excluded),
  };
}

/** The number of groups in a step, and how many the update compared. Rows of the Python program have no group sizes. */
export function groupCounts(metric: (name: string) => number | null): {
  readonly all: number;
  readonly compared: number;
} {
  const compared = metric("num_groups") ?? 0;
  const all = metric("group/size/count") ?? compared + (metric("num_excluded_groups") ?? 0);
  return { all, compared };
}

/** How often each name occurs. */
export function countEach(names: readonly string[]): MetricsTree {
  return Object.fromEntries(
    [...groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]),
  );
}
