/** Metrics about the health of a run, computed from a step's rollouts and the process itself, for alarms. */

import { groupBy } from "../../../shared/groupBy.ts";
import { sum } from "../../../shared/mean.ts";
import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { INVALID_REWARD } from "../../rollout/faults.ts";
import type { Ledger } from "../../rollout/ledger.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import { power } from "../../util/power.ts";
import { fraction } from "../../util/stats.ts";

/** The token streams of one rollout. */
type Streams = readonly Ledger[];

export interface StepHealth {
  readonly rollouts: readonly FinishedRollout[];
  /** Per group, how many weight updates its sampler lacks. */
  readonly staleness: readonly number[];
  /** Null when not measured. */
  readonly lagMs: number | null;
}

export function healthMetrics({ rollouts, staleness, lagMs }: StepHealth): MetricsTree {
  return withoutUndefined({
    rollout: {
      ...duplicateMetrics(rollouts),
      entropy: sampledEntropy(rollouts),
      nonfinite_rewards: rollouts.filter(({ facts }) => facts.errorClass === INVALID_REWARD).length,
    },
    async: { staleness: { max: Math.max(...staleness) } },
    client: lagMs === null ? undefined : { event_loop_lag_ms: lagMs },
  });
}

/**
 * `duplicate_frac`: among rollouts with an earlier one in their group, the share that sampled the same tokens as an earlier one.
 * `duplicate_expected_frac`: the share expected from independent draws, the mean of 1 - (1 - p)^k over the same rollouts, where p is the
 * probability of the sampled tokens and k the number of earlier rollouts. Both have the same expectation.
 */
function duplicateMetrics(rollouts: readonly FinishedRollout[]): MetricsTree {
  let compared = 0;
  let identical = 0;
  let expected = 0;
  for (const [, members] of groupBy(rollouts, ({ record }) => record.group)) {
    const played = members
      .map(({ streams }) => streams)
      .filter((streams) => streams.some(({ trainedTokens }) => trainedTokens > 0));
    for (const [k, streams] of played.entries()) {
      if (k === 0) continue;
      compared += 1;
      // The search finds the rollout itself at the latest.
      if (played.findIndex((earlier) => areSame(earlier, streams)) < k) identical += 1;
      expected += 1 - power(1 - probability(streams), k);
    }
  }
  return {
    duplicate_frac: fraction(identical, compared),
    duplicate_expected_frac: fraction(expected, compared),
  };
}

/**
 * Mean of -log p over all sampled tokens that have a log-probability, in nats: an estimate of the entropy per token. Unlike
 * `optim/entropy` it includes groups that are left out for equal rewards, which lose their diversity first.
 */
function sampledEntropy(rollouts: readonly FinishedRollout[]): number | null {
  const streams = rollouts.flatMap((rollout) => rollout.streams);
  const tokens = sum(streams.map(({ trainedTokens }) => trainedTokens));
  return fraction(0 - sum(streams.map(({ logprobs }) => sum(logprobs))), tokens);
}

function areSame(a: Streams, b: Streams): boolean {
  return (
    a.length === b.length &&
    a.every((ledger, i) => {
      const other = b[i];
      return other !== undefined && isSame(ledger, other);
    })
  );
}

/** Compares from the end, because the rollouts of a group share the same prompt. */
function isSame({ tokens: a }: Ledger, { tokens: b }: Ledger): boolean {
  if (a.length !== b.length) return false;
  for (let i = a.length - 1; i >= 0; i -= 1) if (a[i] !== b[i]) return false;
  return true;
}

/** Joint probability of all sampled tokens. */
function probability(streams: Streams): number {
  return Math.min(1, Math.exp(sum(streams.map(({ logprobs }) => sum(logprobs)))));
}
