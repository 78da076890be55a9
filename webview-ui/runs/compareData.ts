/** Chart data of several runs: one line per run, or one mean with a band per group, on a common horizontal grid. */

import { type Range, shownX, valueRange } from "../../src/shared/chartScale.ts";
import { meanInterval } from "../../src/shared/interval.ts";
import { mean } from "../../src/shared/mean.ts";
import {
  axesOver,
  bandBetween,
  type ChartBand,
  type ChartData,
  type ChartSeries,
  type SeriesLook,
} from "../charts/drawing/chartData.ts";
import { type Smoothing, smooth, smoothingOf } from "../charts/smoothing.ts";
import type { XAxis } from "../charts/xAxis.ts";
import type { BandKind } from "./layout.ts";

/** A line of the chart. */
export interface NamedLine {
  readonly key: string;
  readonly label: string;
  readonly look: SeriesLook;
}

/** One run's values as recorded. */
export interface Curve extends NamedLine {
  /** Ascending, as long as `ys`. */
  readonly xs: Float64Array;
  /** NaN for gaps. */
  readonly ys: Float64Array;
}

/** Runs drawn as their mean. */
interface CurveGroup extends NamedLine {
  readonly curves: readonly Curve[];
}

export interface CompareOptions {
  readonly xAxis: XAxis;
  readonly smoothing: Smoothing;
  readonly isLog: boolean;
  readonly xRange: Range | null;
  readonly yRange: Range | null;
}

/** Grid size above which axes other than steps use evenly spaced points: no screen has more columns. */
const MAX_GRID = 2_000;

/** With two runs the interval would reach 6 times as far as they lie apart, so the band shows their range instead. */
const MIN_RUNS = 3;

/** One line per run. */
export function runsChart(curves: readonly Curve[], options: CompareOptions): ChartData {
  const grid = gridOf(curves, options.xAxis);
  const smoothing = smoothingOfAll(curves, options);
  const series = curves.map((curve): ChartSeries => {
    const values = onGrid({ ...curve, ys: smooth(curve.ys, smoothing) }, grid);
    return lineOf(curve, values);
  });
  return chartOf(grid, series, [], options);
}

/** The mean of each group where all of its runs have a value, with a band if there are at least two runs. */
export function groupsChart(
  groups: readonly CurveGroup[],
  bandKind: BandKind,
  options: CompareOptions,
): ChartData {
  const all = groups.flatMap(({ curves }) => curves);
  const grid = gridOf(all, options.xAxis);
  const smoothing = smoothingOfAll(all, options);
  const drawn = groups.map((group) => {
    const lines = group.curves.map((curve) =>
      onGrid({ ...curve, ys: smooth(curve.ys, smoothing) }, grid),
    );
    const band = bandOf(lines, grid.length, bandKind);
    const look = { color: group.look.color, share: 0.16 };
    return { line: lineOf(group, band.mean), ...bandBetween(group.key, band, look) };
  });
  // The first series decides how very long runs are downsampled: a mean, not the edge of a band.
  const series = [...drawn.map(({ line }) => line), ...drawn.flatMap(({ edges }) => edges)];
  const bands = drawn.map(({ band }) => band);
  return chartOf(grid, series, bands, options);
}

/** Compared runs are smoothed alike; the shortest run decides. */
function smoothingOfAll(curves: readonly Curve[], { smoothing }: CompareOptions) {
  return smoothingOf(smoothing, Math.min(...curves.map(({ ys }) => ys.length)));
}

function chartOf(
  xs: Float64Array,
  series: readonly ChartSeries[],
  bands: readonly ChartBand[],
  { xAxis, isLog, xRange, yRange }: CompareOptions,
): ChartData {
  const range = xRange ?? shownX(xs);
  const inSight = series.map(({ values }) => withinX(xs, values, range));
  return {
    xs,
    series,
    bands,
    marks: [],
    isLog,
    xRange: range,
    yRange: yRange ?? valueRange(inSight, { isLog, isClipped: false, isFromZero: false }),
    ...axesOver(xAxis),
  };
}

/** All horizontal values of the curves, ascending and distinct. */
function gridOf(curves: readonly Curve[], xAxis: XAxis): Float64Array {
  const longest = curves.reduce<Float64Array>(
    (found, { xs }) => (xs.length > found.length ? xs : found),
    new Float64Array(),
  );
  if (xAxis === "step" && curves.every(({ xs }) => isBeginningOf(xs, longest))) return longest;
  const all = new Set<number>();
  for (const { xs } of curves) for (const x of xs) all.add(x);
  const sorted = Float64Array.from(all).sort();
  if (xAxis === "step" || sorted.length <= MAX_GRID) return sorted;
  const [first, last] = [sorted[0] ?? 0, sorted.at(-1) ?? 1];
  return Float64Array.from(
    { length: MAX_GRID },
    (_, index) => first + ((last - first) * index) / (MAX_GRID - 1),
  );
}

/** Usually true for runs over the same steps, which then need no merging. */
function isBeginningOf(xs: Float64Array, longest: Float64Array): boolean {
  return xs.every((x, row) => x === longest[row]);
}

/**
 * The curve at each grid value, interpolated linearly between its rows; NaN outside of it and in its gaps. Where the grid is coarser
 * than the rows, a value between two gaps moves to the next grid value.
 */
function onGrid({ xs, ys }: Pick<Curve, "xs" | "ys">, grid: Float64Array): Float64Array {
  const values = new Float64Array(grid.length).fill(Number.NaN);
  if (isBeginningOf(xs, grid)) {
    values.set(ys);
    return values;
  }
  let row = 0;
  return values.map((_, index) => {
    const x = grid[index] ?? Number.NaN;
    const first = row;
    while (row + 1 < xs.length && (xs[row + 1] ?? Number.NaN) <= x) row += 1;
    const value = valueAt(x, [xs[row], xs[row + 1]], [ys[row], ys[row + 1]]);
    if (!Number.isNaN(value)) return value;
    return ys.subarray(first + 1, row + 1).findLast((own) => !Number.isNaN(own)) ?? Number.NaN;
  });
}

type Pair = readonly [number | undefined, number | undefined];

/** Interpolates between two points; NaN outside of them. */
function valueAt(x: number, [left = Number.NaN, right = Number.NaN]: Pair, ys: Pair): number {
  const [own = Number.NaN, next = Number.NaN] = ys;
  if (x === left) return own;
  return x > left && x < right ? own + ((next - own) * (x - left)) / (right - left) : Number.NaN;
}

interface Band {
  readonly mean: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** All lines end where the shortest one does, because the mean of the remaining runs would jump. */
function bandOf(lines: readonly Float64Array[], length: number, kind: BandKind): Band {
  const empty = (): Float64Array => new Float64Array(length).fill(Number.NaN);
  const band = { mean: empty(), low: empty(), high: empty() };
  for (let index = 0; index < length; index += 1) {
    const values = lines.map((line) => line[index] ?? Number.NaN);
    if (values.length === 0 || values.some(Number.isNaN)) continue;
    band.mean[index] = mean(values);
    if (values.length < 2) continue;
    const interval =
      kind === "interval" && values.length >= MIN_RUNS
        ? meanInterval(values.map((value) => [value]))
        : null;
    band.low[index] = interval?.low ?? Math.min(...values);
    band.high[index] = interval?.high ?? Math.max(...values);
  }
  return band;
}

function lineOf({ key, label, look }: NamedLine, values: Float64Array): ChartSeries {
  const { color, dash } = look;
  return { key, label, values, color, share: 1, width: 1.75, dash };
}

function withinX(xs: Float64Array, values: Float64Array, [low, high]: Range): Float64Array {
  if (low <= (xs[0] ?? low) && high >= (xs.at(-1) ?? high)) return values;
  return values.filter((_, row) => {
    const x = xs[row] ?? Number.NaN;
    return x >= low && x <= high;
  });
}
