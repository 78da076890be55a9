/** Measures a policy on tasks it is not trained on: fixed tasks and seeds, never a gradient. */

import { type EvaluationCell, temperatureName } from "../../config/rules/evaluationCells.ts";
import type { StoredResult } from "../../runFolder/evaluationLog.ts";
import { type MetricsTree, mergeMetrics } from "../../runFolder/metrics/metricsTree.ts";
import type { RolloutRecord } from "../../runFolder/rollouts/rolloutRecord.ts";
import { bootstrapMean, type Estimate } from "../../util/bootstrap.ts";
import { groupBy } from "../../util/groupBy.ts";
import { passAtK, reportedKs } from "../../util/passAtK.ts";
import { mean } from "../../util/stats.ts";

export interface EvaluationResult extends EvaluationCell {
  readonly tasks: number;
  readonly rollouts: number;
  /** Mean over tasks of the mean over a task's rollouts (avg@k); a failed rollout counts as 0. */
  readonly rewardMean: number;
  /** 95 % interval of that mean, by bootstrap over tasks. */
  readonly low: number;
  readonly high: number;
  /** Share of rollouts with at least the success reward. */
  readonly successFraction: number;
  readonly failed: number;
  readonly tokensMean: number;
  readonly turnsMean: number;
  readonly successReward: number;
  /** By ascending k, up to the rollouts of a task. */
  readonly passAtK: readonly PassAtK[];
  /** Against the first evaluation; absent for that one, and where no task is shared. */
  readonly difference?: TaskDifference;
}

/** Chance that one of `k` rollouts of a task succeeds, as a mean over tasks. */
export interface PassAtK extends Estimate {
  readonly k: number;
}

/** Mean over shared tasks of what a task's mean reward has changed. */
export interface TaskDifference extends Estimate {
  readonly tasks: number;
}

/** The part of a rollout that a result is made of. */
export type EvaluatedRecord = Pick<RolloutRecord, "index" | "reward"> & {
  readonly turns: readonly Pick<RolloutRecord["turns"][number], "tokens">[];
};

export interface SummaryOptions {
  /** A rollout with at least this reward counts as a success. */
  readonly successReward: number;
  /** Of the bootstrap. */
  readonly seed: number;
  /** The mean reward of each task by index in the evaluation to compare with; absent = none. */
  readonly baseline?: ReadonlyMap<number, number>;
}

/** Mean reward of each task, by its index. */
export function taskRewards(
  rollouts: readonly Pick<EvaluatedRecord, "index" | "reward">[],
): ReadonlyMap<number, number> {
  const byTask = groupBy(rollouts, ({ index }) => index);
  return new Map(
    [...byTask].map(([index, own]) => [index, mean(own.map(({ reward }) => reward ?? 0)) ?? 0]),
  );
}

/** Summarises the rollouts of one cell. */
export function summarizeEvaluation(
  cell: EvaluationCell,
  rollouts: readonly EvaluatedRecord[],
  { successReward, seed, baseline = new Map() }: SummaryOptions,
): EvaluationResult {
  const rewards = taskRewards(rollouts);
  const { mean: rewardMean, low, high } = bootstrapMean([...rewards.values()], seed);
  const isSuccess = ({ reward }: EvaluatedRecord): boolean => (reward ?? 0) >= successReward;
  const difference = taskDifference(baseline, rewards, seed);
  const tokens = rollouts.map(({ turns }) => turns.reduce((sum, turn) => sum + turn.tokens, 0));
  return {
    ...cell,
    tasks: rewards.size,
    rollouts: rollouts.length,
    rewardMean,
    low,
    high,
    successFraction: mean(rollouts.map((rollout) => (isSuccess(rollout) ? 1 : 0))) ?? 0,
    failed: rollouts.filter(({ reward }) => reward === null).length,
    tokensMean: mean(tokens) ?? 0,
    turnsMean: mean(rollouts.map(({ turns }) => turns.length)) ?? 0,
    successReward,
    passAtK: passRates(rollouts, isSuccess, seed),
    ...(difference !== null && { difference }),
  };
}

function passRates(
  rollouts: readonly EvaluatedRecord[],
  isSuccess: (rollout: EvaluatedRecord) => boolean,
  seed: number,
): readonly PassAtK[] {
  const tasks = [...groupBy(rollouts, ({ index }) => index).values()].map((own) => ({
    attempts: own.length,
    successes: own.filter(isSuccess).length,
  }));
  const fewest = tasks.reduce((least, task) => Math.min(least, task.attempts), Infinity);
  return reportedKs(tasks.length === 0 ? 0 : fewest).map((k) => ({
    k,
    ...bootstrapMean(
      tasks.map(({ attempts, successes }) => passAtK(attempts, successes, k)),
      seed,
    ),
  }));
}

/** Null when no task is shared. */
function taskDifference(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  seed: number,
): TaskDifference | null {
  const changes = [...after].flatMap(([index, reward]) => {
    const earlier = before.get(index);
    return earlier === undefined ? [] : [reward - earlier];
  });
  if (changes.length === 0) return null;
  return { tasks: changes.length, ...bootstrapMean(changes, seed) };
}

/** As metrics: `eval/<environment>/<split>/<greedy or temperature_T>/…` */
export function evaluationMetrics(results: readonly StoredResult[]): MetricsTree {
  return results.reduce<MetricsTree>((tree, result) => {
    const metrics = {
      reward_mean: result.rewardMean,
      ci_low: result.low,
      ci_high: result.high,
      success_frac: result.successFraction,
      num_failed: result.failed,
      tokens_mean: result.tokensMean,
      turns_mean: result.turnsMean,
    };
    const path = { [result.split]: { [temperatureName(result.temperature)]: metrics } };
    return mergeMetrics(tree, { eval: { [result.environment]: path } });
  }, {});
}
