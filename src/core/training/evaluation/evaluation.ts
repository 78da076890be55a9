/** Measures a policy on tasks that it is not trained on, with fixed tasks and seeds and without gradients. */

import { groupBy } from "../../../shared/groupBy.ts";
import { rewardInterval } from "../../../shared/interval.ts";
import { sum } from "../../../shared/mean.ts";
import { pairedDifference, taskRewards } from "../../compare/pairedEvaluation.ts";
import { type EvaluationCell, temperatureName } from "../../config/rules/evaluationCells.ts";
import type { StoredResult } from "../../runFolder/evaluationLog.ts";
import {
  type MetricsRow,
  type MetricsTree,
  mergeMetrics,
  replaceNonFinite,
} from "../../runFolder/metrics/metricsTree.ts";
import { failureReward, isFailed, isSuccess } from "../../runFolder/metrics/outcomes.ts";
import type { RolloutRecord } from "../../runFolder/rollouts/rolloutRecord.ts";
import { passAtK, reportedKs } from "../../util/passAtK.ts";
import { fraction, mean } from "../../util/stats.ts";

const NO_INTERVAL = { low: null, high: null };

/** The fields of a rollout that results depend on. */
export type EvaluatedRecord = Pick<RolloutRecord, "index" | "reward"> & {
  readonly turns: readonly Pick<RolloutRecord["turns"][number], "tokens">[];
};

export interface SummaryOptions {
  /** A rollout with at least this reward counts as a success. */
  readonly successReward: number;
  /** The reward of a failed rollout; null means the smaller of 0 and the lowest reward among the rollouts summarized or compared. */
  readonly failureReward: number | null;
  /** Rollouts of the evaluation to compare with; empty for no comparison. */
  readonly baseline: readonly Pick<EvaluatedRecord, "index" | "reward">[];
}

/** Summarizes the rollouts of one cell. */
export function summarizeEvaluation(
  cell: EvaluationCell,
  rollouts: readonly EvaluatedRecord[],
  { successReward, failureReward: givenReward, baseline }: SummaryOptions,
): StoredResult {
  const ofFailure = givenReward ?? failureReward(rollouts);
  const tasks = [...taskRewards(rollouts, ofFailure).values()];
  const successes = rollouts.filter((rollout) => isSuccess(rollout, successReward));
  const difference = pairedDifference(baseline, rollouts, givenReward);
  const played = rollouts.filter(({ turns }) => turns.length > 0);
  const tokens = played.map(({ turns }) => turns.reduce((sum, turn) => sum + turn.tokens, 0));
  return {
    ...cell,
    tasks: tasks.length,
    rollouts: rollouts.length,
    rewardMean: mean(tasks.map((rewards) => mean(rewards) ?? 0)) ?? 0,
    ...(rewardInterval(tasks) ?? NO_INTERVAL),
    successFraction: fraction(successes.length, rollouts.length) ?? 0,
    failed: rollouts.filter(isFailed).length,
    failureReward: ofFailure,
    tokensMean: mean(tokens),
    turnsMean: mean(played.map(({ turns }) => turns.length)),
    successReward,
    passAtK: passRates(rollouts, successReward),
    difference:
      difference === null
        ? undefined
        : {
            tasks: difference.tasks,
            mean: difference.mean,
            low: difference.low,
            high: difference.high,
          },
  };
}

function passRates(
  rollouts: readonly EvaluatedRecord[],
  successReward: number,
): StoredResult["passAtK"] {
  const tasks = [...groupBy(rollouts, ({ index }) => index).values()].map((own) =>
    own.map((rollout) => (isSuccess(rollout, successReward) ? 1 : 0)),
  );
  const fewest = tasks.reduce((least, { length }) => Math.min(least, length), Infinity);
  return reportedKs(tasks.length === 0 ? 0 : fewest).map((k) => {
    const rates = tasks.map((own) => passAtK(own.length, sum(own), k));
    // Pass@1 is the success rate, whose interval uses the number of outcomes per task.
    const interval = rewardInterval(k === 1 ? tasks : rates.map((rate) => [rate]));
    return { k, mean: mean(rates) ?? 0, ...(interval ?? NO_INTERVAL) };
  });
}

/** Row for the evaluation after the last of `step` steps, without step metrics. A resume that trains on moves it away. */
export function endRow(
  step: number,
  attempt: number,
  results: readonly StoredResult[],
): MetricsRow {
  const metrics = replaceNonFinite(evaluationMetrics(results));
  return { step, evaluation_only: true, progress: { attempt }, ...metrics };
}

/** Results as metrics: `eval/<environment>/<split>/<greedy or temperature_T>/…` */
export function evaluationMetrics(results: readonly StoredResult[]): MetricsTree {
  return results.reduce<MetricsTree>((tree, result) => {
    const metrics = {
      reward_mean: result.rewardMean,
      ci_low: result.low,
      ci_high: result.high,
      success_frac: result.successFraction,
      num_failed: result.failed,
      scored_frac: fraction(result.rollouts - result.failed, result.rollouts),
      tokens_mean: result.tokensMean,
      turns_mean: result.turnsMean,
      ...passMetrics(result),
      ...changeMetrics(result),
    };
    const path = { [result.split]: { [temperatureName(result.temperature)]: metrics } };
    return mergeMetrics(tree, { eval: { [result.environment]: path } });
  }, {});
}

function passMetrics({ passAtK: rates }: StoredResult): MetricsTree {
  if (rates.length === 0) return {};
  return { pass_at: Object.fromEntries(rates.map(({ k, mean: rate }) => [String(k), rate])) };
}

/** Change since the first evaluation, over the tasks that both have. */
function changeMetrics({ difference }: StoredResult): MetricsTree {
  if (difference === undefined) return {};
  const { mean: change, low, high, tasks } = difference;
  return { change: { mean: change, ci_low: low, ci_high: high, num_tasks: tasks } };
}
