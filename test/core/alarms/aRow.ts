/** Rows of a healthy run for tests of alarms; each takes only the numbers that the test cares about. */

import type { AlarmPast } from "../../../src/core/alarms/alarmHistory.ts";
import { AlarmHistory } from "../../../src/core/alarms/alarmHistory.ts";
import { type AlarmState, evaluateAlarms } from "../../../src/core/alarms/evaluateAlarms.ts";
import type { AlarmsConfig } from "../../../src/core/config/fields/schema.ts";
import { type MetricsRow, mergeMetrics } from "../../../src/core/runFolder/metrics/metricsTree.ts";
import { trendMetrics } from "../../../src/core/runFolder/metrics/trendMetrics.ts";
import { aConfig } from "../training/builders.ts";

/** Flat names, such as `rollout/parse_ok_frac`. */
export type Numbers = Readonly<Record<string, number | null>>;

/** The metrics of 8 groups of 8, two turns each. */
const HEALTHY: Numbers = {
  "group/size/mean": 8,
  "group/size/count": 8,
  "group/compared": 8,
  "group/frac_mixed": 0.75,
  "group/frac_all_good": 0.125,
  "rollout/reward/mean": 0.5,
  "rollout/reward/std": 0.5,
  "rollout/reward/count": 64,
  "rollout/reward/groups": 8,
  "rollout/reward/group_std": 0.15,
  "rollout/success_frac": 0.5,
  "rollout/response_tokens/mean": 100,
  "rollout/tokens_per_turn/count": 128,
  "rollout/parse_ok_frac": 0.95,
  "rollout/turn_truncated_frac": 0.02,
  "rollout/tool_calls/mean": 2,
  "rollout/tool_calls/count": 64,
  "rollout/failed_tool_calls/mean": 0.1,
  "rollout/failed_tool_calls/count": 64,
  "rollout/duplicate_frac": 0.1,
  "rollout/duplicate_expected_frac": 0.1,
  "rollout/nonfinite_rewards": 0,
  "optim/kl_sample_train_v2": 0.001,
  "optim/compared_tokens": 5_000,
  "rollout/entropy": 1,
  "advantage/abs_mean": 0.8,
  "advantage/count": 64,
  "train/action_tokens": 5_000,
  "async/staleness/max": 0,
  "client/event_loop_lag_ms": 5,
  "time/total_s": 30,
  "errors/total": 0,
  num_timed_out: 0,
};

export function aRow(step: number, changes: Numbers = {}): MetricsRow {
  let row: MetricsRow = { step };
  for (const [name, value] of Object.entries({ ...HEALTHY, ...changes })) {
    const tree = name.split("/").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    row = { ...mergeMetrics(row, tree as MetricsRow), step };
  }
  return row;
}

/** Alarm begins and ends after each of the steps, and the alarm values after the last one. */
export function watched(
  steps: readonly Numbers[],
  thresholds: Partial<AlarmsConfig> = {},
): {
  readonly changes: readonly string[];
  readonly last: readonly AlarmState[];
  readonly past: AlarmPast;
} {
  const history = new AlarmHistory();
  const changes: string[] = [];
  let last: readonly AlarmState[] = [];
  let past: AlarmPast = history.with(aRow(0));
  for (const [step, numbers] of steps.entries()) {
    const own = aRow(step, numbers);
    const bare = { ...own, trend: trendMetrics(history.trendWith(own)) };
    past = history.with(bare);
    last = evaluateAlarms(past, { ...aConfig().alarms, ...thresholds });
    for (const { id, change } of last) if (change !== null) changes.push(`${step} ${id} ${change}`);
    const alarm = Object.fromEntries(last.map(({ id, isFiring }) => [id, isFiring ? 1 : 0]));
    history.add({ ...mergeMetrics(bare, { alarm }), step });
  }
  return { changes, last, past };
}

/** The same numbers, repeated. */
export function times(count: number, numbers: Numbers = {}): readonly Numbers[] {
  return Array.from({ length: count }, () => numbers);
}
