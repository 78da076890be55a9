/** Which part of the values a chart shows. */

export interface ScaleOptions {
  readonly isLog: boolean;
  /** Hides the outermost 1% of values on each side. */
  readonly isClipped: boolean;
  readonly isFromZero: boolean;
}

export type Range = readonly [number, number];

/** Quantile of sorted, known values, by linear interpolation; NaN for an empty list. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * The axis range that shows all known values with some padding, following the user's settings; a default range when there are no values.
 */
export function valueRange(
  series: readonly ArrayLike<number>[],
  { isLog, isClipped, isFromZero }: ScaleOptions,
): Range {
  const { low, high } = isClipped ? inner(series, isLog) : outer(series, isLog);
  if (low > high) return isLog ? [0.1, 1] : [0, 1];
  if (isLog) return [low / 1.2, high * 1.2];
  if (low === 0 && high === 0) return [0, 1];
  const [bottom, top] = isFromZero ? [Math.min(0, low), Math.max(0, high)] : [low, high];
  // Differences within rounding error count as flat.
  const isFlat = top - bottom < 1e-9 * Math.max(Math.abs(top), Math.abs(bottom), 1e-30);
  const padding = !isFlat ? (top - bottom) * 0.06 : Math.max(Math.abs(top) * 0.1, 0.01);
  // A range that starts at zero gets no padding there, so the values touch the axis.
  return [
    bottom === 0 && low >= 0 ? 0 : bottom - padding,
    top === 0 && high <= 0 ? 0 : top + padding,
  ];
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** Lowest and highest known value; low > high when there is none. */
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

/** Like {@link outer}, without the outermost 1% on each side. */
function inner(series: readonly ArrayLike<number>[], isLog: boolean): Bounds {
  const known = series
    .flatMap((values) => Array.from(values))
    .filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  if (known.length === 0) return { low: 1, high: 0 };
  const sorted = Float64Array.from(known).sort();
  return { low: quantile(sorted, 0.01), high: quantile(sorted, 0.99) };
}

/** Number of known values that a logarithmic axis cannot show. */
export function countNotPositive(values: ArrayLike<number>): number {
  let count = 0;
  for (let index = 0; index < values.length; index += 1) {
    if ((values[index] ?? Number.NaN) <= 0) count += 1;
  }
  return count;
}

/** The full range of the horizontal axis, including `others`. */
export function shownX(xs: Float64Array, others: readonly number[] = []): Range {
  if (xs.length === 0) return [0, 1];
  const all = [xs[0] ?? 0, xs.at(-1) ?? 1, ...others];
  const low = Math.min(...all);
  const high = Math.max(...all);
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

/** Rows with a value whose neighbors have none. No line segment reaches them, so they are drawn as points. */
export function loneRows(values: ArrayLike<number | null | undefined>): readonly number[] {
  const isKnown = (row: number): boolean => Number.isFinite(values[row]);
  return Array.from({ length: values.length }, (_, row) => row).filter(
    (row) => isKnown(row) && !isKnown(row - 1) && !isKnown(row + 1),
  );
}
