/** Whether a measure rises, falls or is flat: one judgment for trees, charts, terminals, alarms and tools. */

import { bounds, FINEST_VALUES, fitPiecewiseLine, type PiecewiseLine } from "./piecewiseLine.ts";

/** Steps count from 0. */
export type Trend = ClearTrend | UnclearTrend;

export interface ClearTrend {
  readonly direction: "rising" | "flat" | "falling";
  /** The step that it began with, and how many steps it has lasted, both ends counted. */
  readonly since: number;
  readonly steps: number;
  /** Level at `since`, and at the last step: those of the fitted curve, not of single steps. */
  readonly was: number;
  readonly now: number;
  /** Change per step over the last piece of the curve, with its standard error. */
  readonly slope: number;
  readonly slopeError: number;
  /** The fall from the best level that is not made up for; null where there is none beyond the noise, and while it rises. */
  readonly fall: Fall | null;
}

/** Too early to tell. */
export interface UnclearTrend {
  readonly direction: "unclear";
  /** Steps with a value. */
  readonly steps: number;
  /** Groups behind them; null where that is not known. */
  readonly groups: number | null;
}

export interface Fall {
  /** The step with the best level. */
  readonly since: number;
  readonly was: number;
  /** The lowest level until now. */
  readonly low: number;
  /** Standard error of the difference to the level of the last step. */
  readonly error: number;
}

/** A value for each step that has one. */
export interface TrendPoint {
  readonly step: number;
  readonly value: number;
  /** That it is a mean over. */
  readonly groups?: number;
  /** Standard error of the value, by the groups that it is a mean over. */
  readonly error?: number;
}

/** Fewer values show nothing. */
const LEAST_VALUES = 6;
/** From so many values on a measure that has never moved is flat; before, it is too early to tell. */
const FLAT_VALUES = 20;
/** The same behind a turn; a shorter piece is part of the movement before it. */
const FLAT_PIECE = 10;
/** Standard errors that a change takes where many values show the noise. */
const SURE = 3;
/** The same for a piece whose beginning was chosen by the fit. */
const SURE_PIECE = 4;

/** The trend of values in rising order of steps; numbers that are not finite are left out. */
export function trendOf(points: readonly TrendPoint[]): Trend {
  const known = points.filter(({ value }) => Number.isFinite(value));
  const values = known.map(({ value }) => value);
  const count = values.length;
  if (count < LEAST_VALUES) return unclear(known);
  const variance = meanVariance(known);
  const whole = judge(fitPiecewiseLine(values, variance));
  const found = count > FINEST_VALUES ? withRecent(values, variance, whole) : whole;
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
    fall:
      found.fall === null
        ? null
        : {
            since: stepAt(found.fall.since),
            was: within(found.fall.was),
            low: within(found.fall.low),
            error: found.fall.error,
          },
  };
}

/** As {@link ClearTrend}, with positions in place of steps. */
interface Judgment extends Omit<ClearTrend, "direction" | "steps"> {
  readonly direction: -1 | 0 | 1;
  /** True when it begins with a change within the series. */
  readonly hasTurned: boolean;
}

/** Averages over long stretches hide what changed last: the newest values are judged by themselves, too, and count where they show a turn. */
function withRecent(values: readonly number[], variance: number | null, whole: Judgment): Judgment {
  const start = values.length - FINEST_VALUES;
  const recent = judge(fitPiecewiseLine(values.slice(start), variance));
  if (!recent.hasTurned || recent.direction === whole.direction) return whole;
  const fall =
    recent.fall === null ? whole.fall : { ...recent.fall, since: recent.fall.since + start };
  return { ...recent, since: recent.since + start, fall: recent.direction > 0 ? null : fall };
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
  const direction = sign(pieces[index]?.direction ?? 0);
  while (index > 0 && pieces[index - 1]?.direction === direction) index -= 1;
  const since = pieces[index]?.from ?? 0;
  const length = last === undefined ? 1 : last.to - last.from;
  return {
    direction,
    since,
    was: line.at(since),
    now: line.at(end),
    slope: (last?.value ?? 0) / length,
    slopeError: (last?.error ?? 0) / length,
    fall: direction > 0 ? null : fallOf(line, end),
    hasTurned: index > 0,
  };
}

function fallOf(line: PiecewiseLine, end: number): Fall | null {
  const since = line.knots.reduce((a, b) => (line.at(b) > line.at(a) ? b : a));
  const { value, error } = line.change(since, end);
  if (-value <= sureErrors(line) * error) return null;
  const low = Math.min(...line.knots.map(line.at));
  return { since, was: line.at(since), low, error };
}

/** Few values show little of the noise itself: the second factor is about that of Student's t. */
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

/** What a point says of the steps behind a mean reward: `groupStd` is the standard deviation of the means of its groups. */
export function behindReward(
  groups: number | null,
  groupStd: number | null,
): Pick<TrendPoint, "groups" | "error"> {
  if (groups === null) return {};
  return groupStd === null ? { groups } : { groups, error: groupStd / Math.sqrt(groups) };
}

/** Null unless the error of each value is known. */
function meanVariance(known: readonly TrendPoint[]): number | null {
  const total = known.reduce((sum, { error = Number.NaN }) => sum + error ** 2, 0);
  return Number.isNaN(total) ? null : total / known.length;
}

/** A straight line overshoots where rewards end. */
function boundsOf(values: readonly number[]): (level: number) => number {
  const [low, high] = bounds(values);
  return (level) => Math.min(high, Math.max(low, level));
}

function sign(value: number): -1 | 0 | 1 {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}
