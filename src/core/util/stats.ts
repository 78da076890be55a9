/** Statistics over a list of numbers. */

/** Keys as in metric names. A value is null if the list is too short for it. */
export interface Stats {
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Sample standard deviation (n - 1); null below two values. */
  readonly std: number | null;
  readonly count: number;
}

/** The mean of a stream of values by Welford's update, which is accurate even for large offsets. */
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
 * All statistics of a stream of values. The mean is the sum divided by the count, so that integers give the same mean in any
 * order, and is clamped to the range of the values, so that equal values are their own mean.
 */
export class RunningStats {
  #count = 0;
  #sum = 0;
  // Welford's running mean, used for the spread.
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

/** Standard deviation within lists, pooled over all of them; null if none has two values. */
export function pooledDeviation(lists: readonly (readonly number[])[]): number | null {
  const known = lists.map(summarize).filter(({ std }) => std !== null);
  const degrees = known.reduce((sum, { count }) => sum + count - 1, 0);
  const squares = known.reduce((sum, { std, count }) => sum + (std ?? 0) ** 2 * (count - 1), 0);
  return degrees === 0 ? null : Math.sqrt(squares / degrees);
}

/** Index of the first value that is not finite; -1 if there is none. */
export function indexOfNonFinite(values: ArrayLike<number>): number {
  for (let i = 0; i < values.length; i += 1) if (!Number.isFinite(values[i])) return i;
  return -1;
}

/** Arithmetic mean, as in {@link RunningStats}; null when empty. */
export function mean(values: Iterable<number>): number | null {
  return summarize(values).mean;
}

/**
 * Means of the first and the last values: `count` at each end, at most `most` and at most half of all, so that the ends do not
 * overlap unless there is only one value. Null when empty.
 */
export function endMeans(values: readonly number[], most: number) {
  const count = endLength(values.length, most);
  const [first, last] = [mean(values.slice(0, count)), mean(values.slice(-count))];
  return first === null || last === null ? null : { first, last, count };
}

/** Length of each end of `length` values so that the ends do not overlap, at most `most`; at least 1. */
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

/** Interpolates between the values of the two nearest of `count` ascending ranks, counted from 0; null when empty. */
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
