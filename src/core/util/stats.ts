/** Statistics over a list of numbers. */

/** Keys as they are in metric names. Each value is null where the list is too short to have it. */
export interface Stats {
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Sample standard deviation (n - 1); null below two values. */
  readonly std: number | null;
  readonly count: number;
}

/** The mean of values that come one by one, by Welford's update: exact enough for large offsets. */
export class RunningMean {
  #count = 0;
  #mean = 0;

  add(value: number): void {
    this.#count += 1;
    this.#mean += (value - this.#mean) / this.#count;
  }

  /** Null before the first value. */
  get mean(): number | null {
    return this.#count === 0 ? null : this.#mean;
  }
}

/**
 * All statistics of values that come one by one. Their mean is the sum over the count, so that whole numbers have the same in any
 * order, and between the smallest and the largest value, so that equal values have their own.
 */
export class RunningStats {
  #count = 0;
  #sum = 0;
  // Of Welford's update, for the spread.
  #mean = 0;
  #squares = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    this.#count += 1;
    this.#sum += value;
    const delta = value - this.#mean;
    this.#mean += delta / this.#count;
    this.#squares += delta * (value - this.#mean);
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  get stats(): Stats {
    const count = this.#count;
    if (count === 0) return { mean: null, min: null, max: null, std: null, count };
    const std = count < 2 ? null : Math.sqrt(this.#squares / (count - 1));
    const mean = Math.min(Math.max(this.#sum / count, this.#min), this.#max);
    return { mean, min: this.#min, max: this.#max, std, count };
  }
}

export function summarize(values: Iterable<number>): Stats {
  const running = new RunningStats();
  for (const value of values) running.add(value);
  return running.stats;
}

/** Position of the first entry that is no finite number; -1 without one. */
export function indexOfNonFinite(values: ArrayLike<number>): number {
  for (let i = 0; i < values.length; i += 1) if (!Number.isFinite(values[i])) return i;
  return -1;
}

/** Arithmetic mean as of {@link RunningStats}; null when empty. */
export function mean(values: Iterable<number>): number | null {
  return summarize(values).mean;
}

/**
 * Means over the first and over the last values: `count` at each end, at most `most` and at most half of all, so that no value is in
 * both unless there is only one. Null when empty.
 */
export function endMeans(values: readonly number[], most: number) {
  const count = endLength(values.length, most);
  const [first, last] = [mean(values.slice(0, count)), mean(values.slice(-count))];
  return first === null || last === null ? null : { first, last, count };
}

/** How many of `length` values are one of two ends without a common value, at most `most`; at least 1. */
export function endLength(length: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(length / 2)));
}

/** `part / whole`; null when `whole` is 0. */
export function fraction(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Percentile by linear interpolation between the two nearest ranks, `share` in [0, 1]; null when empty. */
export function percentile(values: ArrayLike<number>, share: number): number | null {
  const sorted = new Float64Array(values).sort();
  return betweenRanks(sorted.length, share, (rank) => sorted[rank] ?? 0);
}

/** Between the values of the two nearest ranks of `count`, in rising order from 0; null when there are none. */
export function betweenRanks(
  count: number,
  share: number,
  valueAt: (rank: number) => number,
): number | null {
  if (count === 0) return null;
  const position = (count - 1) * share;
  const [low, high] = [Math.floor(position), Math.ceil(position)];
  const below = valueAt(low);
  return low === high ? below : below + (valueAt(high) - below) * (position - low);
}
