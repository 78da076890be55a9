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

/** Statistics of values that come one by one, by Welford's update: exact enough for large offsets. */
export class RunningStats {
  #count = 0;
  #mean = 0;
  #squares = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    this.#count += 1;
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
    return { mean: this.#mean, min: this.#min, max: this.#max, std, count };
  }
}

export function summarize(values: Iterable<number>): Stats {
  const running = new RunningStats();
  for (const value of values) running.add(value);
  return running.stats;
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
  return sortedPercentile(new Float64Array(values).sort(), share);
}

/** As {@link percentile} of values in rising order. */
export function sortedPercentile(sorted: ArrayLike<number>, share: number): number | null {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (position - Math.floor(position));
}
