/** What each alarm measures, and how much it must have seen: a false alarm is worse than a late one. */

import type { AlarmId } from "../config/schema.ts";
import { mean, percentile } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";

/** What is known of a run so far. */
export interface AlarmPast {
  /** Recent steps, the one to judge last. */
  readonly steps: readonly AlarmFacts[];
  /** Log-probability gaps of the first steps that had one. */
  readonly firstGaps: readonly number[];
}

export interface AlarmRule {
  /** Which side of its threshold is bad. */
  readonly fires: "above" | "below";
  /** Null when there is too little to judge by. */
  readonly measure: (past: AlarmPast) => number | null;
}

/** First steps whose gap tells what is usual for the model. */
export const BASELINE_STEPS = 5;
/** Models with routed experts begin with a gap of 0.05 to 0.1; a larger one is never taken for usual. */
const HIGHEST_BASELINE = 0.1;
const MIN_TURNS = 16;
const MIN_CALLS = 16;
const MIN_ROLLOUTS = 16;
const MIN_MISSING = 4;
const MIN_GROUPS = 16;
const MIN_TOKENS = 100;
const EQUAL_STEPS = 5;
const LENGTH_STEPS = 10;
/** Steps whose mean stands for one. */
const LENGTH_MEAN_STEPS = 3;
/** From this share of successes on, shorter answers are no loss. */
const LEARNT_SHARE = 0.95;
const LAG_STEPS = 2;
const MIN_LAG_STEP_S = 10;

/** Steps that the rules look back over. */
export const RULE_STEPS = LENGTH_STEPS + LENGTH_MEAN_STEPS;

export const ALARM_RULES: Readonly<Record<AlarmId, AlarmRule>> = {
  parse_success: { fires: "below", measure: ofLast(readableShare) },
  tool_errors: {
    fires: "above",
    measure: ofLast(({ toolCalls, toolErrorShare }) =>
      toolCalls < MIN_CALLS ? null : toolErrorShare,
    ),
  },
  truncated_turns: {
    fires: "above",
    measure: ofLast(({ turns, truncatedShare }) => (turns < MIN_TURNS ? null : truncatedShare)),
  },
  equal_rewards: { fires: "above", measure: leastEqualShare },
  identical_rollouts: {
    fires: "above",
    measure: ofLast(({ rollouts, groups, identicalShare, expectedIdenticalShare }) =>
      identicalShare === null || rollouts - groups < MIN_ROLLOUTS
        ? null
        : identicalShare - (expectedIdenticalShare ?? 0),
    ),
  },
  nonfinite_rewards: {
    fires: "above",
    measure: ofLast(({ nonfiniteRewards }) => nonfiniteRewards),
  },
  logprob_gap: { fires: "above", measure: gapOverBaseline },
  logprob_gap_critical: { fires: "above", measure: gapOverBaseline },
  stale_sampler: { fires: "above", measure: ofLast(({ samplerAge }) => samplerAge) },
  response_length: { fires: "above", measure: lengthFactor },
  missing_rewards: {
    fires: "above",
    measure: ofLast(({ rollouts, scored }) => {
      if (rollouts < MIN_ROLLOUTS) return null;
      const missing = rollouts - scored;
      return missing < MIN_MISSING ? 0 : missing / rollouts;
    }),
  },
  event_loop_lag: { fires: "above", measure: leastLag },
};

function ofLast(measure: (facts: AlarmFacts) => number | null): (past: AlarmPast) => number | null {
  return ({ steps }) => {
    const last = steps.at(-1);
    return last === undefined ? null : measure(last);
  };
}

/** Of the turns that ended by themselves, those with a call that could be read. */
export function readableShare({ turns, parsedShare, truncatedShare }: AlarmFacts): number | null {
  const whole = turns * (1 - (truncatedShare ?? 0));
  if (parsedShare === null || whole < MIN_TURNS) return null;
  return Math.min(1, (turns * parsedShare) / whole);
}

function leastEqualShare({ steps }: AlarmPast): number | null {
  const last = steps.slice(-EQUAL_STEPS);
  const shares = last.flatMap(({ equalShare }) => equalShare ?? []);
  const groups = last.reduce((sum, facts) => sum + facts.comparedGroups, 0);
  return shares.length < EQUAL_STEPS || groups < MIN_GROUPS ? null : Math.min(...shares);
}

/** The gap of the last step, less what is usual for this run. */
function gapOverBaseline({ steps, firstGaps }: AlarmPast): number | null {
  const last = steps.at(-1);
  if (last === undefined || last.logprobGap === null || last.trainedTokens < MIN_TOKENS) {
    return null;
  }
  return last.logprobGap - usualGap(firstGaps);
}

/** Median of the first gaps, within bounds; the upper bound until all of them are known. */
export function usualGap(firstGaps: readonly number[]): number {
  if (firstGaps.length < BASELINE_STEPS) return HIGHEST_BASELINE;
  return Math.min(HIGHEST_BASELINE, percentile(firstGaps, 0.5) ?? 0);
}

/** Lengths of two stretches of steps, the earlier one first; null before there are enough steps. */
export function comparedLengths({ steps }: AlarmPast): readonly [number, number] | null {
  const [before, now] = compared(steps);
  const [earlier, later] = [meanLength(before), meanLength(now)];
  return earlier === null || later === null ? null : [earlier, later];
}

function compared(
  steps: readonly AlarmFacts[],
): readonly [readonly AlarmFacts[], readonly AlarmFacts[]] {
  const window = steps.slice(-(LENGTH_STEPS + LENGTH_MEAN_STEPS));
  if (window.length < LENGTH_STEPS + LENGTH_MEAN_STEPS) return [[], []];
  return [window.slice(0, LENGTH_MEAN_STEPS), window.slice(-LENGTH_MEAN_STEPS)];
}

function meanLength(steps: readonly AlarmFacts[]): number | null {
  const lengths = steps.flatMap(({ scored, responseTokens }) =>
    scored < MIN_ROLLOUTS ? [] : (responseTokens ?? []),
  );
  return lengths.length < LENGTH_MEAN_STEPS ? null : mean(lengths);
}

/** How many times longer or shorter responses became, at least 1; 1 when the change went with a better reward, or after success. */
function lengthFactor(past: AlarmPast): number | null {
  const lengths = comparedLengths(past);
  if (lengths === null || lengths.some((length) => length === 0)) return null;
  const [before, now] = compared(past.steps);
  const [earlier, later] = lengths;
  const isLearnt = now.every(({ successShare }) => (successShare ?? 0) >= LEARNT_SHARE);
  if (hasRisen(before, now) || (isLearnt && later < earlier)) return 1;
  return Math.max(later / earlier, earlier / later);
}

/** By more than one standard error of the difference. */
function hasRisen(before: readonly AlarmFacts[], now: readonly AlarmFacts[]): boolean {
  const rise = meanReward(now) - meanReward(before);
  return rise > Math.sqrt(squaredError(before) + squaredError(now));
}

function meanReward(steps: readonly AlarmFacts[]): number {
  return mean(steps.map(({ reward }) => reward ?? 0)) ?? 0;
}

function squaredError(steps: readonly AlarmFacts[]): number {
  const variance = mean(steps.map(({ rewardStd }) => (rewardStd ?? 0) ** 2)) ?? 0;
  return variance / steps.reduce((sum, { scored }) => sum + scored, 0);
}

function leastLag({ steps }: AlarmPast): number | null {
  const last = steps.slice(-LAG_STEPS);
  const lags = last.flatMap(({ lagMs, totalS }) =>
    (totalS ?? 0) < MIN_LAG_STEP_S ? 0 : (lagMs ?? []),
  );
  return lags.length < LAG_STEPS ? null : Math.min(...lags);
}
