/** Which part of the values a chart shows. */

export interface ScaleOptions {
  readonly isLog: boolean;
  /** Leaves the outermost percent on each side out of sight. */
  readonly isClipped: boolean;
  readonly isFromZero: boolean;
}

export type Range = readonly [number, number];

/** Quantile by linear interpolation between sorted known values; NaN without any. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

/** The range that shows all known values with a little air, as the user's settings say; a default when there is none. */
export function valueRange(
  series: readonly ArrayLike<number>[],
  { isLog, isClipped, isFromZero }: ScaleOptions,
): Range {
  const { low, high } = isClipped ? inner(series, isLog) : outer(series, isLog);
  if (low > high) return isLog ? [0.1, 1] : [0, 1];
  if (isLog) return [low / 1.2, high * 1.2];
  if (low === 0 && high === 0) return [0, 1];
  const [bottom, top] = isFromZero ? [Math.min(0, low), Math.max(0, high)] : [low, high];
  // Rounding errors are no change.
  const isFlat = top - bottom < 1e-9 * Math.max(Math.abs(top), Math.abs(bottom), 1e-30);
  const air = !isFlat ? (top - bottom) * 0.06 : Math.max(Math.abs(top) * 0.1, 0.01);
  // A range that begins at zero gets no margin there, so the values stand on the axis.
  return [bottom === 0 && low >= 0 ? 0 : bottom - air, top === 0 && high <= 0 ? 0 : top + air];
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Lowest and highest known value; low above high when there is none. */
function outer(series: readonly ArrayLike<number>[], isLog: boolean): Bounds {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const values of series) {
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] ?? Number.NaN;
      if (!Number.isFinite(value) || (isLog && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return { low, high };
}

/** As {@link outer} without the outermost percent on each side. */
function inner(series: readonly ArrayLike<number>[], isLog: boolean): Bounds {
  const known = series
    .flatMap((values) => Array.from(values))
    .filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  if (known.length === 0) return { low: 1, high: 0 };
  const sorted = Float64Array.from(known).sort();
  return { low: quantile(sorted, 0.01), high: quantile(sorted, 0.99) };
}

/** Zooms `range` by `factor` (below 1 = closer) around `centre`, not beyond `limits`. */
export function zoomed(range: Range, factor: number, centre: number, limits: Range): Range | null {
  const low = Math.max(limits[0], centre - (centre - range[0]) * factor);
  const high = Math.min(limits[1], centre + (range[1] - centre) * factor);
  if (low <= limits[0] && high >= limits[1]) return null;
  return high > low ? [low, high] : range;
}

/** How many known values a logarithmic axis cannot show. */
export function countNotPositive(values: ArrayLike<number>): number {
  let count = 0;
  for (let index = 0; index < values.length; index += 1) {
    if ((values[index] ?? Number.NaN) <= 0) count += 1;
  }
  return count;
}

/** All of the horizontal axis, and what lies before its first value. */
export function shownX(xs: Float64Array, others: readonly number[] = []): Range {
  if (xs.length === 0) return [0, 1];
  const all = [xs[0] ?? 0, xs.at(-1) ?? 1, ...others];
  const low = Math.min(...all);
  const high = Math.max(...all);
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

/** Rows with a value between two without: no line leads to them, so that they are drawn as points. */
export function loneRows(values: ArrayLike<number | null | undefined>): readonly number[] {
  const isKnown = (row: number): boolean => Number.isFinite(values[row]);
  return Array.from({ length: values.length }, (_, row) => row).filter(
    (row) => isKnown(row) && !isKnown(row - 1) && !isKnown(row + 1),
  );
}
