/** Measures a policy on tasks it is not trained on: fixed tasks and seeds, never a gradient. */

import type { EvaluationConfig } from "../config/schema.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { type MetricsTree, mergeMetrics } from "../runFolder/metricsTree.ts";
import { mean, summarize } from "../util/stats.ts";

/** One environment, split and temperature. */
export interface EvaluationCell {
  readonly environment: string;
  readonly split: string;
  /** 0 = greedy. */
  readonly temperature: number;
}

export interface EvaluationResult extends EvaluationCell {
  readonly tasks: number;
  readonly rollouts: number;
  /** Mean over tasks; a failed rollout counts as 0. */
  readonly rewardMean: number;
  /** 95 % interval of that mean over tasks, by the normal approximation within the values that occurred. */
  readonly low: number;
  readonly high: number;
  /** Share of rollouts with at least the success reward. */
  readonly successFraction: number;
  readonly failed: number;
  readonly tokensMean: number;
  readonly turnsMean: number;
}

/** Environment, split and temperature of everything the configuration evaluates, in its order. */
export function evaluationCells(config: EvaluationConfig): readonly EvaluationCell[] {
  return Object.entries(config.splits).flatMap(([environment, splits]) =>
    splits.flatMap((split) =>
      config.temperatures.map((temperature) => ({ environment, split, temperature })),
    ),
  );
}

/** Summarises the rollouts of one cell. */
export function summarizeEvaluation(
  cell: EvaluationCell,
  rollouts: readonly FinishedRollout[],
  successReward: number,
): EvaluationResult {
  const byTask = new Map<number, number[]>();
  for (const { task, reward } of rollouts) {
    byTask.set(task.index, [...(byTask.get(task.index) ?? []), reward ?? 0]);
  }
  const taskMeans = [...byTask.values()].map((rewards) => mean(rewards) ?? 0);
  const { mean: rewardMean, std, min, max } = summarize(taskMeans);
  const half = (1.96 * (std ?? 0)) / Math.sqrt(Math.max(1, taskMeans.length));
  const records = rollouts.map(({ record }) => record);
  const tokens = records.map(({ turns }) => turns.reduce((sum, turn) => sum + turn.tokens, 0));
  return {
    ...cell,
    tasks: taskMeans.length,
    rollouts: rollouts.length,
    rewardMean: rewardMean ?? 0,
    low: Math.max((rewardMean ?? 0) - half, min ?? 0),
    high: Math.min((rewardMean ?? 0) + half, max ?? 0),
    successFraction:
      mean(rollouts.map(({ reward }) => ((reward ?? 0) >= successReward ? 1 : 0))) ?? 0,
    failed: rollouts.filter(({ reward }) => reward === null).length,
    tokensMean: mean(tokens) ?? 0,
    turnsMean: mean(records.map(({ turns }) => turns.length)) ?? 0,
  };
}

/** As metrics: `eval/<environment>/<split>/<greedy or temperature_T>/…` */
export function evaluationMetrics(results: readonly EvaluationResult[]): MetricsTree {
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

/** How a temperature is called in metrics and on screens. */
function temperatureName(temperature: number): string {
  return temperature === 0 ? "greedy" : `temperature_${temperature}`;
}
