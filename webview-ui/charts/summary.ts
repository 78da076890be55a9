/** A series in words: what a chart says at a glance. */

import { type BestReward, decidingMean, NO_BEST, withReward } from "../../src/shared/bestReward.ts";
import { formatReward } from "../../src/shared/format.ts";
import { behindReward, trendOf } from "../../src/shared/trend.ts";
import { rewardTrendText, trendWord } from "../../src/shared/trendText.ts";
import { strings } from "../strings/strings.ts";
import { formatValue } from "./format.ts";

/** Steps count from 0; NaN where a step has no value. */
interface Series {
  readonly values: Float64Array;
  readonly steps: Float64Array;
}

/** Latest, highest and trend of a metric; empty without known values. */
export function summarize({ values, steps }: Series): string {
  const ends = latestAndHighest(values, steps);
  if (ends === null) return "";
  const trend = trendOf(Array.from(values, (value, row) => ({ step: steps[row] ?? row, value })));
  return strings.small.summary(ends.latest, ends.highest, ends.step, trendWord(trend));
}

/** What a mean reward is a mean over; NaN where that is not known. */
interface BehindReward {
  readonly groups: Float64Array;
  readonly groupStd: Float64Array;
  /** Share of the rollouts that have a reward. */
  readonly scored: Float64Array;
}

/** Trend and latest value of the reward, and what was reached at best. */
export function summarizeReward(
  { values, steps }: Series,
  { groups, groupStd, scored }: BehindReward,
): string {
  const last = values.findLast((value) => !Number.isNaN(value));
  if (last === undefined) return "";
  const known = (column: Float64Array, row: number): number | null =>
    Number.isFinite(column[row]) ? (column[row] ?? null) : null;
  const points = Array.from(values, (value, row) => ({
    step: steps[row] ?? row,
    value,
    ...behindReward(known(groups, row), known(groupStd, row)),
  }));
  let reached = NO_BEST;
  for (const [row, { step }] of points.entries()) {
    reached = withReward(reached, decidingMean(known(values, row), known(scored, row)), step);
  }
  return `${rewardTrendText(trendOf(points))}. ${reachedText(formatReward(last), reached)}`;
}

function reachedText(latest: string, { recent, best }: BestReward): string {
  if (best === null) return strings.reward.latest(latest);
  return strings.reward.summary(latest, formatReward(best.value), best.step, recent.length);
}

function latestAndHighest(values: Float64Array, steps: Float64Array) {
  let highest = -1;
  let latest = -1;
  for (const [row, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    latest = row;
    if (highest < 0 || value > (values[highest] ?? Number.NaN)) highest = row;
  }
  if (latest < 0) return null;
  return {
    latest: formatValue(values[latest] ?? Number.NaN),
    highest: formatValue(values[highest] ?? Number.NaN),
    step: (steps[highest] ?? 0) + 1,
  };
}
