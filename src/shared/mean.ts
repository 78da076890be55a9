/** Sums and means of lists. */

/** 0 without values. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i += 1) total += values[i] ?? 0;
  return total;
}

/** NaN without values. */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}
