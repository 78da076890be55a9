/** Two evaluations of the same tasks, compared task by task: what is hard for both says nothing about which is better. */

import type { MeanInterval } from "../../shared/runsPage.ts";
import { clusterInterval } from "../util/clusterInterval.ts";
import { mean } from "../util/stats.ts";

export interface PairedDifference extends MeanInterval {
  /** How many tasks both have. */
  readonly tasks: number;
  /** Tasks with a higher, and with a lower mean reward than in the first. */
  readonly better: number;
  readonly worse: number;
}

/** Mean rewards, by task. */
export type TaskRewards = ReadonlyMap<number, number>;

/**
 * The mean over shared tasks of the second's reward less the first's, with its paired 95 % interval (Student's t over tasks); null
 * below two shared tasks.
 */
export function pairedDifference(first: TaskRewards, second: TaskRewards): PairedDifference | null {
  const differences = [...second].flatMap(([task, reward]) => {
    const before = first.get(task);
    return before === undefined ? [] : [reward - before];
  });
  const interval = clusterInterval(differences.map((difference) => [difference]));
  if (interval === null) return null;
  return {
    mean: mean(differences) ?? 0,
    low: interval.low,
    high: interval.high,
    tasks: differences.length,
    better: differences.filter((difference) => difference > 0).length,
    worse: differences.filter((difference) => difference < 0).length,
  };
}
