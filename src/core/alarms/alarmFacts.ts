/** The facts about one step that alarms use. */

import { rewardPointOf } from "../../shared/trendPoint.ts";
import { alarmFields } from "../config/fields/alarmThresholds.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import { storedFit } from "../runFolder/metrics/fitMetrics.ts";
import { type MetricsRow, metricAt } from "../runFolder/metrics/metricsTree.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import { rewardPoint } from "../runFolder/metrics/trendMetrics.ts";
import { fraction } from "../util/stats.ts";

export type AlarmFacts = ReturnType<typeof alarmFacts>;

// Sound, because these are the table's own keys.
export const ALARM_IDS = Object.keys(alarmFields) as readonly AlarmId[];

/** The numbers of a row that alarms use. Values missing from the row are null, or 0 for counts. */
export function alarmFacts(row: MetricsRow) {
  const number = (name: string): number | null => metricAt(row, name);
  const count = (name: string): number => number(name) ?? 0;
  const total = (name: string): number => count(`${name}/mean`) * count(`${name}/count`);
  const stops = (reason: StopReason): number => count(`rollout/stop_reason/${reason}/count`);
  const toolCalls = total("rollout/tool_calls");
  const turns = count("rollout/tokens_per_turn/count");
  // Turns of agents are excluded, because an agent decides by itself which of them need a call. Counts are whole numbers.
  const agentTurns = count("rollout/agent/turns");
  const withoutAgents = (share: "turn_truncated_frac" | "parse_ok_frac"): number =>
    Math.round(turns * count(`rollout/${share}`) - agentTurns * count(`rollout/agent/${share}`));
  // Runs that sample nothing ahead allow no lag and store only the second metric.
  const samplerAge = number("async/staleness/beyond_allowed") ?? number("async/staleness/max");
  const mixed = number("group/frac_mixed");
  return {
    /** Counts from 0. */
    step: row.step,
    firing: firingAfter(row),
    groups: count("group/size/count"),
    /** Groups with at least two rewards. */
    comparedGroups: count("group/compared"),
    /** Rollouts that were played, scored or not. */
    rollouts: Math.round(total("group/size")),
    scored: count("rollout/reward/count"),
    failed: count("errors/total"),
    timedOut: count("num_timed_out"),
    /** Rollouts ended by the environment, scored or not. */
    ended: stops("reached_terminal_state"),
    /** Rollouts ended by a crash or a timeout of a tool. */
    crashed: stops("tool_crashed"),
    toolTimedOut: stops("tool_timeout"),
    agents: count("rollout/agent/count"),
    agentFailures: Math.round(count("rollout/agent/count") * count("rollout/agent/failed_frac")),
    turns,
    /** In rollouts without an agent: turns that were not cut off, and turns with a readable call. */
    wholeTurns: turns - agentTurns - withoutAgents("turn_truncated_frac"),
    readableTurns: withoutAgents("parse_ok_frac"),
    toolCalls: Math.round(toolCalls),
    /** Tokens that were sent or excluded by a correction. */
    comparedTokens: count("optim/compared_tokens"),
    truncatedShare: number("rollout/turn_truncated_frac"),
    toolErrorShare: toolCalls === 0 ? null : total("rollout/failed_tool_calls") / toolCalls,
    /** Shares of the groups whose rewards were all equal, and all equal and successful. */
    equalShare: mixed === null ? null : 1 - mixed,
    allGoodShare: number("group/frac_all_good"),
    identicalShare: number("rollout/duplicate_frac"),
    /** Share of identical rollouts expected from the model's probabilities. */
    expectedIdenticalShare: number("rollout/duplicate_expected_frac"),
    nonfiniteRewards: number("rollout/nonfinite_rewards"),
    logprobGap: number("optim/kl_sample_train_v2"),
    samplerAge,
    /** Updates that the step's oldest sampler is allowed to lag behind. */
    allowedLag: count("async/staleness/max") - (samplerAge ?? 0),
    learningRate: number("optim/lr"),
    responseTokens: number("rollout/response_tokens/mean"),
    reward: number("rollout/reward/mean"),
    successShare: number("rollout/success_frac"),
    lagMs: number("client/event_loop_lag_ms"),
    totalS: number("time/total_s"),
    /** The mean reward with its standard error over groups. */
    rewardPoint: rewardPointOf(row.step, number),
    /** The same; null if too few rollouts are scored. */
    decidingPoint: rewardPoint(row),
    /** Entropy of sampled tokens, in nats. */
    entropy: number("rollout/entropy"),
    klPolicyBase: number("optim/kl_policy_base"),
    /** Mean over the compared rollouts, counting 0 for groups excluded because of equal rewards. */
    advantageSize: advantageSize(
      number("advantage/abs_mean"),
      fraction(count("group/excluded/zero_variance"), count("group/compared")),
    ),
    /** For a supervised run: its steps, and the mean losses of the first and last ones. */
    fit: storedFit(number),
    loss: number("loss"),
    /** Null if the step did not measure it. */
    heldOutLoss: number("held_out/loss"),
    costShare: number("budget/cost_frac"),
    tokenShare: number("budget/tokens_frac"),
    timeShare: number("budget/hours_frac"),
  };
}

/** Alarms that fired after the step of `row`; empty if the row was not evaluated. */
export function firingAfter(row: MetricsRow): ReadonlySet<AlarmId> {
  return new Set(ALARM_IDS.filter((id) => metricAt(row, `alarm/${id}`) === 1));
}

/** Null if nothing is known about groups with different rewards; a correction may have excluded all of their rollouts. */
function advantageSize(trained: number | null, equalShare: number | null): number | null {
  if (equalShare === 1) return 0;
  return trained === null ? null : trained * (1 - (equalShare ?? 0));
}
