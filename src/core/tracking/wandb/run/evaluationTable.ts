/** The evaluations of a run as a table, to be read on its page. */

import { formatReward } from "../../../../shared/format.ts";
import type { EvaluationEntry } from "../../../runFolder/evaluationLog.ts";
import type { ExtendedValue } from "./extendedJson.ts";
import type { Table } from "./tableFile.ts";

const COLUMNS = [
  "step",
  "purpose",
  "environment",
  "split",
  "temperature",
  "tasks",
  "rollouts",
  "reward_mean",
  "ci_low",
  "ci_high",
  "change",
  "change_low",
  "change_high",
  "success_frac",
  "pass_at_k",
];

/** A row for each environment, split and temperature of each evaluation, in the order in which they ended. */
export function evaluationTable(evaluations: readonly EvaluationEntry[]): Table {
  return { columns: COLUMNS, data: evaluations.flatMap(rows) };
}

function rows({ step, purpose, results }: EvaluationEntry): Table["data"] {
  return results.map((result): readonly ExtendedValue[] => [
    ...[step, purpose, result.environment, result.split, result.temperature],
    ...[result.tasks, result.rollouts, result.rewardMean, result.low, result.high],
    ...[result.difference?.mean ?? null, result.difference?.low ?? null],
    ...[result.difference?.high ?? null, result.successFraction],
    result.passAtK.map(({ k, mean }) => `${formatReward(mean)} @${k}`).join(", "),
  ]);
}
