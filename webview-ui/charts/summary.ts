/** A series in words: what a chart says at a glance. */

import { formatReward } from "../../src/shared/format.ts";
import { trendOf } from "../../src/shared/trend.ts";
import type { TrendPoint } from "../../src/shared/trendPoint.ts";
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
  const ends = latestAndHighest(values, steps, formatValue);
  if (ends === null) return "";
  const trend = trendOf(Array.from(values, (value, row) => ({ step: steps[row] ?? row, value })));
  return strings.small.summary(ends.latest, ends.highest, ends.step, trendWord(trend));
}

/** The same of the reward, whose highest value is the best; `points` are those of its trend. */
export function summarizeReward({ values, steps }: Series, points: readonly TrendPoint[]): string {
  const ends = latestAndHighest(values, steps, formatReward);
  if (ends === null) return "";
  const { latest, highest, step } = ends;
  return `${rewardTrendText(trendOf(points))}. ${strings.reward.summary(latest, highest, step)}`;
}

function latestAndHighest(
  values: Float64Array,
  steps: Float64Array,
  format: (value: number) => string,
) {
  let highest = -1;
  let latest = -1;
  for (const [row, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    latest = row;
    if (highest < 0 || value > (values[highest] ?? Number.NaN)) highest = row;
  }
  if (latest < 0) return null;
  return {
    latest: format(values[latest] ?? Number.NaN),
    highest: format(values[highest] ?? Number.NaN),
    step: (steps[highest] ?? 0) + 1,
  };
}
