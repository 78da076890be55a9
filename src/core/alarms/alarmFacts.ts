/** The numbers of a metrics row that alarms rest on. What the row does not tell is null. */

import type { AlarmId } from "../config/schema.ts";
import { flattenMetrics, type MetricsRow } from "../runFolder/metricsTree.ts";

export interface AlarmFacts {
  readonly step: number;
  /** Alarms that rang after this step; empty for a row that was not judged. */
  readonly firing: ReadonlySet<AlarmId>;
  readonly groups: number;
  /** Groups with two rewards at least. */
  readonly comparedGroups: number;
  /** Rollouts that were played, scored or not. */
  readonly rollouts: number;
  readonly scored: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly trainedTokens: number;
  readonly parsedShare: number | null;
  readonly truncatedShare: number | null;
  readonly toolErrorShare: number | null;
  /** Shares of the groups whose rewards were all equal, and equal to a success. */
  readonly equalShare: number | null;
  readonly allGoodShare: number | null;
  readonly identicalShare: number | null;
  /** Share of identical rollouts that the model's probabilities let expect. */
  readonly expectedIdenticalShare: number | null;
  readonly nonfiniteRewards: number | null;
  readonly logprobGap: number | null;
  readonly samplerAge: number | null;
  readonly responseTokens: number | null;
  readonly reward: number | null;
  readonly rewardStd: number | null;
  readonly successShare: number | null;
  readonly lagMs: number | null;
  readonly totalS: number | null;
}

export function alarmFacts(row: MetricsRow): AlarmFacts {
  const flat = flattenMetrics(row);
  const number = (name: string): number | null => {
    const value = flat[name];
    return typeof value === "number" ? value : null;
  };
  const count = (name: string): number => number(name) ?? 0;
  const total = (name: string): number => count(`${name}/mean`) * count(`${name}/count`);
  const toolCalls = total("rollout/tool_calls");
  const mixed = number("group/frac_mixed");
  return {
    step: row.step,
    firing: firingIn(flat),
    groups: count("group/size/count"),
    comparedGroups: count("group/compared"),
    rollouts: Math.round(total("group/size")),
    scored: count("rollout/reward/count"),
    failed: count("num_errors"),
    timedOut: count("num_timed_out"),
    turns: count("rollout/tokens_per_turn/count"),
    toolCalls: Math.round(toolCalls),
    trainedTokens: count("train/action_tokens"),
    parsedShare: number("rollout/parse_ok_frac"),
    truncatedShare: number("rollout/turn_truncated_frac"),
    toolErrorShare: toolCalls === 0 ? null : total("rollout/failed_tool_calls") / toolCalls,
    equalShare: mixed === null ? null : 1 - mixed,
    allGoodShare: number("group/frac_all_good"),
    identicalShare: number("rollout/duplicate_frac"),
    expectedIdenticalShare: number("rollout/duplicate_expected_frac"),
    nonfiniteRewards: number("rollout/nonfinite_rewards"),
    logprobGap: number("optim/kl_sample_train_v2"),
    samplerAge: number("async/staleness/max"),
    responseTokens: number("rollout/response_tokens/mean"),
    reward: number("rollout/reward/mean"),
    rewardStd: number("rollout/reward/std"),
    successShare: number("rollout/success_frac"),
    lagMs: number("client/event_loop_lag_ms"),
    totalS: number("time/total_s"),
  };
}

const PREFIX = "alarm/";

function firingIn(flat: Readonly<Record<string, unknown>>): ReadonlySet<AlarmId> {
  const names = Object.keys(flat).filter((name) => name.startsWith(PREFIX) && flat[name] === 1);
  // An alarm of another version is harmless: no rule looks it up.
  return new Set(names.map((name) => name.slice(PREFIX.length) as AlarmId));
}
