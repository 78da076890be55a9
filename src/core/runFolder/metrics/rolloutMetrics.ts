/** The `rollout/…` metrics of a list of rollouts. */

import { groupBy } from "../../../shared/groupBy.ts";
import { rewardInterval, stratifiedInterval } from "../../../shared/interval.ts";
import { sum } from "../../../shared/mean.ts";
import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { fraction, mean, pooledDeviation, type Stats, summarize } from "../../util/stats.ts";
import type { MetricsTree } from "./metricsTree.ts";
import { failureReward, isSuccess } from "./outcomes.ts";
import type { RolloutFacts, StepFacts, ToolCallFacts, TurnFacts } from "./stepFacts.ts";

type Mix = Pick<StepFacts, "hasFixedMix">;

/** Reward statistics and the share of scored rollouts; `mean_all` counts failed ones with {@link failureReward}. */
export function rewardMetrics(rollouts: readonly RolloutFacts[], mix: Mix): MetricsTree {
  const scored = scoredOnly(rollouts);
  const ofFailure = failureReward(rollouts);
  return {
    reward: {
      ...stats(scored.map(rewardOf)),
      mean_all: mean(rollouts.map(({ reward }) => reward ?? ofFailure)),
      ...groupStatistics(scored, mix),
    },
    scored_frac: fraction(scored.length, rollouts.length),
    response_tokens: stats(playedOnly(rollouts).map(responseTokens)),
    stop_reason: stopReasons(rollouts),
  };
}

/**
 * Confidence interval of the mean and spread between tasks, by group: rollouts of one task are not independent. With a fixed mix, only
 * the spread within environments counts, because every step has the same difference between them.
 */
function groupStatistics(scored: readonly RolloutFacts[], { hasFixedMix }: Mix): MetricsTree {
  const rewardsOf = (own: readonly RolloutFacts[]): readonly (readonly number[])[] =>
    Array.from(groupBy(own, ({ group }) => group).values(), (rollouts) => rollouts.map(rewardOf));
  const groups = rewardsOf(scored);
  const strata = hasFixedMix
    ? Array.from(groupBy(scored, ({ environment }) => environment).values(), rewardsOf)
    : [groups];
  const interval =
    (strata.length > 1 ? stratifiedInterval(strata) : null) ?? rewardInterval(groups);
  return {
    groups: groups.length,
    ci_low: interval?.low ?? null,
    ci_high: interval?.high ?? null,
    group_std: pooledDeviation(strata.map((own) => own.map((rewards) => mean(rewards) ?? 0))),
  };
}

function rewardOf({ reward }: RolloutFacts): number {
  return reward ?? 0;
}

/** The metrics that are also reported per environment. Stop reasons include failed rollouts, so that they sum to all. */
export function environmentMetrics(rollouts: readonly RolloutFacts[], mix: Mix): MetricsTree {
  const successes = rollouts.filter((rollout) => isSuccess(rollout, rollout.successReward));
  return {
    ...rewardMetrics(rollouts, mix),
    success_frac: fraction(successes.length, rollouts.length),
    turns: stats(playedOnly(rollouts).map(({ turns }) => turns.length)),
    errors: rollouts.filter(({ errorClass }) => errorClass !== null).length,
  };
}

/** The policy's behavior, whether rewarded or not: tokens, turns and tools of all played rollouts, attempts of all rollouts. */
export function behaviorMetrics(rollouts: readonly RolloutFacts[]): MetricsTree {
  const played = playedOnly(rollouts);
  const turns = played.flatMap((rollout) => rollout.turns);
  const over = (value: (rollout: RolloutFacts) => number): MetricsTree => stats(played.map(value));
  return withoutUndefined({
    agent: agentMetrics(rollouts),
    tool_calls: over(({ tools }) => tools.length),
    failed_tool_calls: over(({ tools }) => tools.filter(({ isError }) => isError).length),
    tokens_per_turn: stats(turns.map(({ sampledTokens }) => sampledTokens)),
    prompt_tokens: over(({ promptTokens }) => promptTokens),
    observation_tokens: over(({ observationTokens }) => observationTokens),
    total_tokens: over(
      (rollout) => rollout.promptTokens + rollout.observationTokens + responseTokens(rollout),
    ),
    thinking_tokens: over((rollout) => sum(rollout.turns.map((turn) => turn.thinkingTokens))),
    stream_breaks: over(({ streamBreaks }) => streamBreaks),
    attempts: stats(rollouts.map(({ attempts }) => attempts)),
    ...readableShares(turns),
    unclosed_think_frac: turnShare(turns, ({ hasUnclosedThink }) => hasUnclosedThink),
    missing_logprobs: turns.filter(({ isMissingLogprobs }) => isMissingLogprobs).length,
    tool: toolMetrics(played.flatMap(({ tools }) => tools)),
  });
}

/** The number of rollouts with an agent, the share whose agent failed or timed out, whatever their reward, and their turns; undefined without agents. */
function agentMetrics(rollouts: readonly RolloutFacts[]): MetricsTree | undefined {
  const own = rollouts.filter(({ agentFailed }) => agentFailed !== undefined);
  if (own.length === 0) return undefined;
  const turns = own.flatMap((rollout) => rollout.turns);
  return {
    count: own.length,
    failed_frac: fraction(own.filter(({ agentFailed }) => agentFailed).length, own.length),
    turns: turns.length,
    ...readableShares(turns),
  };
}

function readableShares(turns: readonly TurnFacts[]): MetricsTree {
  return {
    turn_truncated_frac: turnShare(turns, ({ isTruncated }) => isTruncated),
    parse_ok_frac: turnShare(turns, ({ isParsed }) => isParsed),
  };
}

function turnShare(
  turns: readonly TurnFacts[],
  isCounted: (turn: TurnFacts) => boolean,
): number | null {
  return fraction(turns.filter(isCounted).length, turns.length);
}

/** Tokens that the model sampled in the rollout. */
export function responseTokens({ turns }: RolloutFacts): number {
  return sum(turns.map(({ sampledTokens }) => sampledTokens));
}

/** Summary statistics as a metrics branch. */
export function stats(values: readonly number[]): MetricsTree {
  const { mean, min, max, std, count }: Stats = summarize(values);
  return { mean, min, max, std, count };
}

/** Rollouts with at least one turn; a rollout that failed before that says nothing about the policy. */
function playedOnly(rollouts: readonly RolloutFacts[]): readonly RolloutFacts[] {
  return rollouts.filter(({ turns }) => turns.length > 0);
}

/** Rollouts that ended with a reward. */
export function scoredOnly(rollouts: readonly RolloutFacts[]): readonly RolloutFacts[] {
  return rollouts.filter(({ reward }) => reward !== null);
}

function stopReasons(rollouts: readonly RolloutFacts[]): MetricsTree {
  const byReason = groupBy(rollouts, ({ stop }) => stop);
  return Object.fromEntries(
    [...byReason].map(([reason, { length }]) => [
      reason,
      { count: length, frac: fraction(length, rollouts.length) },
    ]),
  );
}

function toolMetrics(calls: readonly ToolCallFacts[]): MetricsTree {
  return Object.fromEntries(
    [...groupBy(calls, ({ name }) => name)].map(([name, own]) => [
      name,
      {
        count: own.length,
        error_frac: fraction(own.filter(({ isError }) => isError).length, own.length),
        latency_s: mean(own.map(({ durationS }) => durationS)),
      },
    ]),
  );
}
