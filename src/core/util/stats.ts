/** Statistics over a list of numbers. */

/** Keys as they stand in metric names. Each value is null where the list is too short to have it. */
export interface Stats {
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Sample standard deviation (n - 1); null below two values. */
  readonly std: number | null;
  readonly count: number;
}

export function summarize(values: Iterable<number>): Stats {
  let count = 0;
  let mean = 0;
  let squares = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  // Welford's update: exact enough for large offsets, and one pass.
  for (const value of values) {
    count += 1;
    const delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (count === 0) return { mean: null, min: null, max: null, std: null, count };
  const std = count < 2 ? null : Math.sqrt(squares / (count - 1));
  return { mean, min, max, std, count };
}

/** 0 when empty. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i += 1) total += values[i] ?? 0;
  return total;
}

/** Arithmetic mean; null when empty. */
export function mean(values: Iterable<number>): number | null {
  return summarize(values).mean;
}

/** `part / whole`; null when `whole` is 0. */
export function fraction(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Percentile by linear interpolation between the two nearest ranks, `share` in [0, 1]; null when empty. */
export function percentile(values: ArrayLike<number>, share: number): number | null {
  const sorted = new Float64Array(values).sort();
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (position - Math.floor(position));
}
