/** Whether a measure is rising, falling or flat: one judgment shared by trees, charts, terminals, alarms and tools. */

import { mean } from "./mean.ts";
import { bounds, FINEST_VALUES, fitPiecewiseLine, type PiecewiseLine } from "./piecewiseLine.ts";
import { cautiousSquares, type TrendPoint } from "./trendPoint.ts";

/** Steps count from 0. */
export type Trend = ClearTrend | UnclearTrend;

export interface ClearTrend {
  /** Also `falling` when a fall has stopped but less than half of it is recovered. */
  readonly direction: "rising" | "flat" | "falling";
  /** The step where it began (for a fall, the last one near the best level), and its length in steps, both ends included. */
  readonly since: number;
  readonly steps: number;
  /** Levels of the fitted curve (not of single steps) at `since` and at the last step. */
  readonly was: number;
  readonly now: number;
  /** Change per step over the last piece of the curve, and its standard error. */
  readonly slope: number;
  readonly slopeError: number;
}

/** Too early to tell. */
export interface UnclearTrend {
  readonly direction: "unclear";
  /** Number of steps with a value. */
  readonly steps: number;
  /** Number of groups behind them; null if unknown. */
  readonly groups: number | null;
}

/** With fewer values there is no judgment. */
const LEAST_VALUES = 6;
/** With this many values, a measure that has never moved is flat; with fewer it is too early to tell. */
const FLAT_VALUES = 20;
/** The same after a turning point; a shorter piece is part of the movement before it. */
const FLAT_PIECE = 10;
/** A fall counts while more than this share of it is still lost. */
const LOST_SHARE = 0.5;
/** A level within this share of the fall still counts as the best. */
const BEST_SHARE = 0.05;
/** No level is above the best mean of this many values in a row, or below the lowest; more would flatten a peak. */
const LEVEL_VALUES = 2;
/** Standard errors that a change must exceed, given enough values to estimate the noise. */
const SURE = 3;
/** The same for a piece whose start was chosen by the fit. */
const SURE_PIECE = 4;

/** The trend of values in ascending order of steps; ignores values that are not finite. */
export function trendOf(points: readonly TrendPoint[]): Trend {
  const known = points.filter(({ value }) => Number.isFinite(value));
  const values = known.map(({ value }) => value);
  const count = values.length;
  if (count < LEAST_VALUES) return unclear(known);
  const variances = cautiousSquares(known);
  const whole = judge(fitPiecewiseLine(values, variances));
  const found = count > FINEST_VALUES ? finer(values, variances, whole) : whole;
  if (found.direction === 0 && !found.hasTurned && count < FLAT_VALUES) return unclear(known);
  const stepAt = (position: number): number => known[Math.round(position)]?.step ?? 0;
  const within = boundsOf(values);
  return {
    direction: found.direction > 0 ? "rising" : found.direction < 0 ? "falling" : "flat",
    since: stepAt(found.since),
    steps: stepAt(count - 1) - stepAt(found.since) + 1,
    was: within(found.was),
    now: within(found.now),
    slope: found.slope,
    slopeError: found.slopeError,
  };
}

/** As {@link ClearTrend}, with positions instead of steps. */
interface Judgment extends Omit<ClearTrend, "direction" | "steps"> {
  readonly direction: -1 | 0 | 1;
  /** True when it begins with a change inside the series. */
  readonly hasTurned: boolean;
}

/** Long averages hide recent changes and the start of a fall, so the values there are also judged on their own. */
function finer(
  values: readonly number[],
  variances: readonly number[] | null,
  whole: Judgment,
): Judgment {
  const judgeFrom = (start: number): Judgment => {
    const end = start + FINEST_VALUES;
    const own = variances?.slice(start, end) ?? null;
    const part = judge(fitPiecewiseLine(values.slice(start, end), own));
    return { ...part, since: part.since + start };
  };
  const last = values.length - FINEST_VALUES;
  const recent = judgeFrom(last);
  // A flat stretch after a fall does not make up for it.
  const isMadeUp = recent.direction > 0 || whole.direction >= 0;
  if (recent.hasTurned && isMadeUp && recent.direction !== whole.direction) return recent;
  if (whole.direction >= 0) return whole;
  const { direction, since, was } = judgeFrom(
    Math.min(last, Math.max(0, Math.round(whole.since) - FINEST_VALUES / 2)),
  );
  return direction < 0 ? { ...whole, since, was } : whole;
}

function judge(line: PiecewiseLine): Judgment {
  const sure = sureErrors(line);
  const pieces = line.knots.slice(1).map((to, i) => {
    const from = line.knots[i] ?? 0;
    const { value, error } = line.change(from, to);
    return {
      from,
      to,
      value,
      error,
      direction: Math.abs(value) > sure * error ? Math.sign(value) : 0,
    };
  });
  const end = line.knots.at(-1) ?? 0;
  const last = pieces.at(-1);
  let index = pieces.length - 1;
  if (last?.direction === 0 && index > 0 && last.to - last.from < FLAT_PIECE) index -= 1;
  const ofPiece = sign(pieces[index]?.direction ?? 0);
  while (index > 0 && pieces[index - 1]?.direction === ofPiece) index -= 1;
  const best = ofPiece > 0 ? null : fallenFrom(line, end);
  const direction = best === null ? ofPiece : -1;
  const since = best ?? pieces[index]?.from ?? 0;
  const length = last === undefined ? 1 : last.to - last.from;
  return {
    direction,
    since,
    was: line.at(since),
    now: line.at(end),
    slope: (last?.value ?? 0) / length,
    slopeError: (last?.error ?? 0) / length,
    hasTurned: since > 0,
  };
}

/** The last position near the curve's best level, if most of the fall from it persists; null if no fall exceeds the noise. */
function fallenFrom(line: PiecewiseLine, end: number): number | null {
  const best = line.knots.reduce((a, b) => (line.at(b) > line.at(a) ? b : a));
  const { value, error } = line.change(best, end);
  const low = Math.min(...line.knots.filter((knot) => knot >= best).map(line.at));
  const isSure = -value > sureErrors(line) * error;
  if (!isSure || -value <= LOST_SHARE * (line.at(best) - low)) return null;
  const least = line.at(best) - BEST_SHARE * (line.at(best) - low);
  return line.knots.findLast((knot) => line.at(knot) >= least) ?? best;
}

/** Few values say little about the noise: the second factor approximates Student's t. */
function sureErrors({ knots, degrees }: PiecewiseLine): number {
  return knots.length > 2 ? SURE_PIECE : SURE * (1 + 4 / degrees);
}

function unclear(known: readonly TrendPoint[]): UnclearTrend {
  const groups = known.reduce((sum, point) => sum + (point.groups ?? Number.NaN), 0);
  return {
    direction: "unclear",
    steps: known.length,
    groups: Number.isNaN(groups) ? null : groups,
  };
}

/**
 * Clamps levels to the range of means over a few consecutive values, because a straight line can overshoot the rewards, and single values
 * are mostly luck.
 */
function boundsOf(values: readonly number[]): (level: number) => number {
  const ends = values.slice(LEVEL_VALUES - 1);
  const [low, high] = bounds(
    ends.map((_, start) => mean(values.slice(start, start + LEVEL_VALUES))),
  );
  return (level) => Math.min(high, Math.max(low, level));
}

function sign(value: number): -1 | 0 | 1 {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
