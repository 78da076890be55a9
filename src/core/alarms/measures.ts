/** The measures of alarms, with the amount of data each requires, since a false alarm is worse than a late one. Null = too little data. */

import { formatCount, formatMeasure } from "../../shared/format.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import { fitEnd } from "../runFolder/metrics/fitMetrics.ts";
import { mean, percentile } from "../util/stats.ts";
import type { Alarm } from "./alarm.ts";
import { slower } from "./alarmEdits.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { type AlarmPast, BASELINE_STEPS, MEASURED_STEPS } from "./alarmHistory.ts";
import { LEVEL_STEPS, rewardChange } from "./rewardLevel.ts";
import { MIN_SAMPLES } from "./samples.ts";

/** Models with routed experts start with a gap of 0.05 to 0.1; a larger gap is never considered normal. */
const HIGHEST_BASELINE = 0.1;
const MIN_TOKENS = 100;
const MIN_MISSING = 4;
const EQUAL_STEPS = 5;
const LAG_STEPS = 2;
const MIN_LAG_STEP_S = 10;

/** The share of turns with a readable call among the turns without an agent that were not cut off. */
export function readableShare({ wholeTurns, readableTurns }: AlarmFacts): number | null {
  return wholeTurns < MIN_SAMPLES ? null : Math.min(1, readableTurns / wholeTurns);
}

/** The smallest share of equal-reward groups over the last steps. */
export function leastEqualShare(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const last = steps.slice(-EQUAL_STEPS);
  const shares = last.flatMap(({ equalShare }) => equalShare ?? []);
  const groups = last.reduce((sum, facts) => sum + facts.comparedGroups, 0);
  return shares.length < EQUAL_STEPS || groups < MIN_SAMPLES ? null : Math.min(...shares);
}

/** Share of duplicate rollouts beyond what the model's probabilities predict. */
export function unexpectedCopies(now: AlarmFacts): number | null {
  if (now.identicalShare === null || now.rollouts - now.groups < MIN_SAMPLES) return null;
  return now.identicalShare - (now.expectedIdenticalShare ?? 0);
}

/** Share of the rollouts without a reward; a handful is ignored. */
export function missingShare({ rollouts, scored }: AlarmFacts): number | null {
  if (rollouts < MIN_SAMPLES) return null;
  return rollouts - scored < MIN_MISSING ? 0 : (rollouts - scored) / rollouts;
}

/** Share of agents that failed, whatever the rewards; a handful is ignored. */
export function failedAgentShare({ agents, agentFailures }: AlarmFacts): number | null {
  if (agents < MIN_SAMPLES) return null;
  return agentFailures < MIN_MISSING ? 0 : agentFailures / agents;
}

/** The KL estimate between sampler and trainer in the last step, minus what is normal for this run. */
export function gapOverBaseline(
  { logprobGap, comparedTokens }: AlarmFacts,
  { firstGaps }: AlarmPast,
): number | null {
  return logprobGap === null || comparedTokens < MIN_TOKENS
    ? null
    : logprobGap - usualGap(firstGaps);
}

/** Median of the first gaps, capped; the cap itself until all of them are known. */
export function usualGap(firstGaps: readonly number[]): number {
  if (firstGaps.length < BASELINE_STEPS) return HIGHEST_BASELINE;
  return Math.min(HIGHEST_BASELINE, percentile(firstGaps, 0.5) ?? 0);
}

/**
 * Mean response tokens at the start and the end of the window. `factor` is how many times longer or shorter responses became, at
 * least 1. It is 1 if the reward rose by more than a standard error, or if responses shrank with nothing left to learn.
 */
export function lengthChange({ steps }: AlarmPast) {
  if (steps.length < MEASURED_STEPS) return null;
  const first = steps.slice(-MEASURED_STEPS).slice(0, LEVEL_STEPS);
  const last = steps.slice(-LEVEL_STEPS);
  const reward = rewardChange(first, last);
  const [earlier, later] = [meanTokens(first), meanTokens(last)];
  if (reward === null || earlier === null || later === null) return null;
  const isFine = reward.hasRisen || (reward.isLearned && later < earlier);
  return { earlier, later, factor: isFine ? 1 : Math.max(later / earlier, earlier / later) };
}

/** Null if a step has no responses, or only empty ones. */
function meanTokens(steps: readonly AlarmFacts[]): number | null {
  const tokens = steps.flatMap(({ responseTokens }) => responseTokens ?? []);
  return tokens.length < steps.length ? null : mean(tokens) || null;
}

/** The smallest lag of the last steps, in milliseconds; short steps count as 0. */
export function leastLag(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const last = steps.slice(-LAG_STEPS);
  const lags = last.flatMap(({ lagMs, totalS }) =>
    (totalS ?? 0) < MIN_LAG_STEP_S ? 0 : (lagMs ?? []),
  );
  return lags.length < LAG_STEPS ? null : Math.min(...lags);
}

type FitAlarmId = Extract<AlarmId, "overfitting" | "loss_rise">;

/** The compared mean covers 3 steps. */
const LEAST_STEPS = 6;
/** In nats per token; smaller differences occur between batches. */
const LEAST_RISE = 0.5;

export const FIT_ALARMS: Readonly<Record<FitAlarmId, Alarm>> = {
  overfitting: {
    title: "The held-out loss rises, the training loss does not",
    severity: "warning",
    fires: "above",
    measure: heldOutRises,
    seen: ({ now, past, value, threshold }) => {
      const points = measuredUntil(now, past);
      const [was, last] = [points.at(-1 - value)?.heldOut, points.at(-1)?.heldOut];
      return `The held-out loss rose in ${formatCount(value)} measurements in a row, from ${formatMeasure(was ?? null)} to ${formatMeasure(last ?? null)} (alarm above ${formatCount(threshold)}).`;
    },
    meaning:
      "The model learns the examples by heart. Go back to the checkpoint before the rise and end there, or train on more examples or with a lower learning rate.",
    edits: slower,
  },
  loss_rise: {
    title: "The training loss is higher than at the start",
    severity: "critical",
    fires: "above",
    measure: lossRatio,
    seen: ({ now: { fit }, value, threshold }) =>
      `The mean loss of the last ${fitEnd(fit?.steps ?? 0)} steps is ${formatMeasure(fit?.now ?? null)}, ${value.toFixed(1)} times that of the first step (alarm above ${threshold} times).`,
    meaning:
      "The updates are too large for the model. Go back to an earlier checkpoint, with a lower learning rate.",
    edits: slower,
  },
};

function measuredUntil({ step }: AlarmFacts, { heldOut }: AlarmPast): AlarmPast["heldOut"] {
  return heldOut.filter((point) => point.step <= step);
}

/** Number of consecutive held-out rises; 0 if the training loss rose over them too. Null before the second measurement. */
function heldOutRises(now: AlarmFacts, past: AlarmPast): number | null {
  const points = measuredUntil(now, past);
  if (points.length < 2) return null;
  const isRise = points.slice(1).map(({ heldOut }, index) => {
    return heldOut > (points[index]?.heldOut ?? heldOut);
  });
  const rises = isRise.length - 1 - isRise.lastIndexOf(false);
  const [from, to] = [points.at(-1 - rises), points.at(-1)];
  return (to?.trained ?? 0) > (from?.trained ?? 0) ? 0 : rises;
}

/** The loss of the last steps as a multiple of the first one; 1 if it rose only a little. */
function lossRatio({ fit }: AlarmFacts, { firstLoss }: AlarmPast): number | null {
  if (fit === null || firstLoss === null || fit.steps < LEAST_STEPS) return null;
  return fit.now - firstLoss < LEAST_RISE ? 1 : fit.now / Math.max(firstLoss, LEAST_RISE / 10);
}
