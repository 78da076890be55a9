/** Two evaluations of the same tasks, compared task by task: what is hard for both says nothing about which is better. */

import { MIN_PAIRS, pairedInterval } from "../../shared/interval.ts";
import type { MeanInterval } from "../../shared/runsPage.ts";
import { failureReward, type Outcome } from "../runFolder/metrics/outcomes.ts";
import { groupBy } from "../util/groupBy.ts";
import { mean } from "../util/stats.ts";

/** A rollout of an evaluation, with the index of its task. */
export type TaskOutcome = Outcome & { readonly index: number };

export interface PairedDifference extends MeanInterval {
  /** How many tasks both have. */
  readonly tasks: number;
  /** Tasks with a higher, and with a lower mean reward than in the first. */
  readonly better: number;
  readonly worse: number;
}

/** The rewards of each task by its index, where a failed rollout counts as `ofFailure`. */
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
 * The mean over shared tasks of the second's mean reward less the first's, with its paired 95% interval; null below 8 shared tasks.
 * A failed rollout counts as `givenReward`, null = the smaller of 0 and the lowest reward of both.
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
