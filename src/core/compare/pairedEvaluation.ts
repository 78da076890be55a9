/** Compares two evaluations task by task. Tasks that are hard for both say nothing about which is better. */

import { groupBy } from "../../shared/groupBy.ts";
import { MIN_PAIRS, type PairedDifference, pairedInterval } from "../../shared/interval.ts";
import { failureReward, type Outcome } from "../runFolder/metrics/outcomes.ts";
import { mean } from "../util/stats.ts";

/** A rollout of an evaluation, with the index of its task. */
export type TaskOutcome = Outcome & { readonly index: number };

/** Rewards of each task by its index. A failed rollout counts as `ofFailure`. */
export function taskRewards(
  rollouts: readonly TaskOutcome[],
  ofFailure: number,
): ReadonlyMap<number, readonly number[]> {
  const byTask = groupBy(rollouts, ({ index }) => index);
  return new Map(
    [...byTask].map(([index, own]) => [index, own.map(({ reward }) => reward ?? ofFailure)]),
  );
}

/**
 * Mean difference in reward over shared tasks (second minus first), with its paired 95% interval; null for fewer than 8 shared
 * tasks. Failed rollouts count as `givenReward`; null = the smaller of 0 and the lowest reward of both.
 */
export function pairedDifference(
  first: readonly TaskOutcome[],
  second: readonly TaskOutcome[],
  givenReward: number | null,
): PairedDifference | null {
  const ofFailure = givenReward ?? Math.min(failureReward(first), failureReward(second));
  const before = taskRewards(first, ofFailure);
  const pairs = [...taskRewards(second, ofFailure)].flatMap(([task, after]) => {
    const earlier = before.get(task);
    return earlier === undefined ? [] : [{ before: earlier, after }];
  });
  if (pairs.length < MIN_PAIRS) return null;
  const differences = pairs.map((pair) => (mean(pair.after) ?? 0) - (mean(pair.before) ?? 0));
  const { low, high } = pairedInterval(pairs) ?? { low: null, high: null };
  return {
    mean: mean(differences) ?? 0,
    low,
    high,
    tasks: pairs.length,
    better: differences.filter((difference) => difference > 0).length,
    worse: differences.filter((difference) => difference < 0).length,
  };
}
