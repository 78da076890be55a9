/** What alarms must know of one step. */

import { rewardPointOf } from "../../shared/trendPoint.ts";
import { alarmFields } from "../config/fields/alarmFields.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import { storedFit } from "../runFolder/metrics/fitMetrics.ts";
import { type MetricsRow, metricAt } from "../runFolder/metrics/metricsTree.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import { rewardPoint } from "../runFolder/metrics/trendMetrics.ts";
import { fraction } from "../util/stats.ts";

export type AlarmFacts = ReturnType<typeof alarmFacts>;

// The table's own keys.
export const ALARM_IDS = Object.keys(alarmFields) as readonly AlarmId[];

/** The numbers of a row that alarms rest on. What the row lacks is null, and 0 where it is counted. */
export function alarmFacts(row: MetricsRow) {
  const number = (name: string): number | null => metricAt(row, name);
  const count = (name: string): number => number(name) ?? 0;
  const total = (name: string): number => count(`${name}/mean`) * count(`${name}/count`);
  const stops = (reason: StopReason): number => count(`rollout/stop_reason/${reason}/count`);
  const toolCalls = total("rollout/tool_calls");
  // Runs that sample nothing ahead allow no lag and store only the second metric.
  const samplerAge = number("async/staleness/beyond_allowed") ?? number("async/staleness/max");
  const mixed = number("group/frac_mixed");
  return {
    /** Counts from 0. */
    step: row.step,
    firing: firingAfter(row),
    groups: count("group/size/count"),
    /** Groups with two rewards at least. */
    comparedGroups: count("group/compared"),
    /** Rollouts that were played, scored or not. */
    rollouts: Math.round(total("group/size")),
    scored: count("rollout/reward/count"),
    failed: count("errors/total"),
    timedOut: count("num_timed_out"),
    /** Rollouts that the environment ended, scored or not. */
    ended: stops("reached_terminal_state"),
    /** Rollouts that a crash or a timeout of a tool ended. */
    crashed: stops("tool_crashed"),
    toolTimedOut: stops("tool_timeout"),
    agents: count("rollout/agent/count"),
    agentFailures: Math.round(count("rollout/agent/count") * count("rollout/agent/failed_frac")),
    turns: count("rollout/tokens_per_turn/count"),
    toolCalls: Math.round(toolCalls),
    /** Sent or left out by a correction. */
    comparedTokens: count("optim/compared_tokens"),
    parsedShare: number("rollout/parse_ok_frac"),
    truncatedShare: number("rollout/turn_truncated_frac"),
    toolErrorShare: toolCalls === 0 ? null : total("rollout/failed_tool_calls") / toolCalls,
    /** Shares of the groups whose rewards were all equal, and equal to a success. */
    equalShare: mixed === null ? null : 1 - mixed,
    allGoodShare: number("group/frac_all_good"),
    identicalShare: number("rollout/duplicate_frac"),
    /** Share of identical rollouts that the model's probabilities let expect. */
    expectedIdenticalShare: number("rollout/duplicate_expected_frac"),
    nonfiniteRewards: number("rollout/nonfinite_rewards"),
    logprobGap: number("optim/kl_sample_train_v2"),
    samplerAge,
    /** Updates that the oldest sampler of the step lacks and may lack. */
    allowedLag: count("async/staleness/max") - (samplerAge ?? 0),
    learningRate: number("optim/lr"),
    responseTokens: number("rollout/response_tokens/mean"),
    reward: number("rollout/reward/mean"),
    successShare: number("rollout/success_frac"),
    lagMs: number("client/event_loop_lag_ms"),
    totalS: number("time/total_s"),
    /** The mean reward with its error by the groups. */
    rewardPoint: rewardPointOf(row.step, number),
    /** The same; null where the reward may decide nothing. */
    decidingPoint: rewardPoint(row),
    /** Entropy of sampled tokens, in nats. */
    entropy: number("rollout/entropy"),
    klPolicyBase: number("optim/kl_policy_base"),
    /** Mean over the rollouts that were compared; 0 in groups that were left out because their rewards are equal. */
    advantageSize: advantageSize(
      number("advantage/abs_mean"),
      fraction(count("group/excluded/zero_variance"), count("group/compared")),
    ),
    /** Of a supervised run: its steps, and mean losses of the first and the last of them. */
    fit: storedFit(number),
    loss: number("loss"),
    /** Null where the step did not measure it. */
    heldOutLoss: number("held_out/loss"),
    costShare: number("budget/cost_frac"),
    tokenShare: number("budget/tokens_frac"),
    timeShare: number("budget/hours_frac"),
  };
}

/** Alarms that fired after the step of `row`; none for a row that was not judged. */
export function firingAfter(row: MetricsRow): ReadonlySet<AlarmId> {
  return new Set(ALARM_IDS.filter((id) => metricAt(row, `alarm/${id}`) === 1));
}

/** Null where nothing is known of groups with different rewards: their rollouts may all be left out, for example by a correction. */
function advantageSize(trained: number | null, equalShare: number | null): number | null {
  if (equalShare === 1) return 0;
  return trained === null ? null : trained * (1 - (equalShare ?? 0));
}
