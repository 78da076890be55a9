/** A series in words: what a chart says at a glance. */

import { strings } from "../strings/strings.ts";
import { formatValue } from "./format.ts";

/** Rows compared for the trend: the last ones with as many before them. */
const TREND_ROWS = 10;
const LEAST_TREND_ROWS = 3;
/** A change below this share of the spread counts as level. */
const LEVEL_SHARE = 0.1;

/** Latest, best and trend; empty without known values. `steps` count from 0. */
export function summarize(values: Float64Array, steps: Float64Array): string {
  let best = -1;
  let latest = -1;
  for (const [row, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    latest = row;
    if (best < 0 || value > (values[best] ?? Number.NaN)) best = row;
  }
  if (latest < 0) return "";
  return strings.reward.summary(
    formatValue(values[latest]),
    formatValue(values[best]),
    (steps[best] ?? 0) + 1,
    trendOf(values),
  );
}

/** Null when too little is known to speak of one. */
function trendOf(values: Float64Array): string | null {
  const { up, down, flat } = strings.reward.trend;
  const known = Array.from(values).filter((value) => !Number.isNaN(value));
  const size = Math.min(TREND_ROWS, Math.floor(known.length / 2));
  if (size < LEAST_TREND_ROWS) return null;
  const recent = meanOf(known.slice(-size));
  const before = meanOf(known.slice(-2 * size, -size));
  const spread = Math.max(...known.slice(-200)) - Math.min(...known.slice(-200));
  if (Math.abs(recent - before) <= LEVEL_SHARE * spread) return flat;
  return recent > before ? up : down;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
