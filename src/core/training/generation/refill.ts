/**
 * Dynamic sampling of DAPO (Yu et al. 2025, arXiv:2503.14476): a step replaces groups that have nothing to train on until it has a full
 * batch of groups with a signal. How many it takes depends only on rewards, never on timing.
 */

import { formatQuantity } from "../../../shared/format.ts";
import { sum } from "../../../shared/mean.ts";
import type { RunContext } from "../run/context.ts";
import { report } from "../run/report.ts";
import { sampledTokens } from "../run/stepProgress.ts";
import { hasSignal, type ScoredGroup, scoreGroups } from "../update/groups.ts";
import type { TakenBatch } from "./groupQueue.ts";

/** Keyed by metric name; null without `refill`. */
export function refillCost(
  { refill, batch_size: wanted }: RunContext["config"],
  groups: readonly ScoredGroup[],
) {
  if (!refill) return null;
  const untrained = groups.filter((group) => !hasSignal(group));
  const rollouts = untrained.flatMap((group) => group.rollouts);
  return {
    /** Groups that a step took beyond one batch. */
    groups: Math.max(0, groups.length - wanted),
    /** Groups with nothing to train on, their rollouts, and the tokens sampled for them. */
    untrained_groups: untrained.length,
    untrained_rollouts: rollouts.length,
    untrained_tokens: sum(rollouts.map(({ rollout }) => sampledTokens(rollout))),
  };
}

/**
 * Takes exactly as many groups as are missing, repeatedly, so that none is taken in vain. Ends early at `max_refill_batches` or when
 * `take` runs out.
 * @throws as `take`
 */
export async function takeWithSignal(
  context: RunContext,
  step: number,
  take: (count: number) => Promise<TakenBatch>,
): Promise<TakenBatch> {
  const { batch_size: wanted, max_refill_batches: furtherBatches } = context.config;
  const most = wanted * (1 + furtherBatches);
  let batch = await take(wanted);
  let found = countSignals(context, batch);
  while (found < wanted && batch.policies.length < most) {
    const further = await take(Math.min(wanted - found, most - batch.policies.length));
    if (further.policies.length === 0) break;
    found += countSignals(context, further);
    batch = joined(batch, further);
  }
  if (found < wanted) await reportShort(context, step, { found, taken: batch.policies.length });
  return batch;
}

function countSignals({ config }: RunContext, { rollouts }: TakenBatch): number {
  return scoreGroups(rollouts, config).filter(hasSignal).length;
}

function joined(before: TakenBatch, further: TakenBatch): TakenBatch {
  return {
    ...before,
    rollouts: [...before.rollouts, ...further.rollouts],
    policies: [...before.policies, ...further.policies],
    pausedMs: before.pausedMs + further.pausedMs,
    busyMs: further.busyMs,
  };
}

async function reportShort(
  { config, reporting }: RunContext,
  step: number,
  { found, taken }: { readonly found: number; readonly taken: number },
): Promise<void> {
  const { batch_size: wanted, max_refill_batches: furtherBatches } = config;
  const isBound = taken >= wanted * (1 + furtherBatches);
  const why = isBound
    ? `${formatQuantity(taken, "group")} were sampled, as many as max_refill_batches allows`
    : "the data ended";
  const effect =
    found === 0
      ? "none has a signal, so nothing is trained"
      : `${found} of ${wanted} groups have a signal; these are trained`;
  const message = `Step ${step + 1}: ${why}, and ${effect}.`;
  const level = isBound ? "warn" : "info";
  await report(reporting, { step, level, kind: "refill-short", message, data: { found, taken } });
}
