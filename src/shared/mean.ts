/** Sums and means of lists. */

/** 0 for an empty list. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i += 1) total += values[i] ?? 0;
  return total;
}

/** NaN for an empty list. */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}
