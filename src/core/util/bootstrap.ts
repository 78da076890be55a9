/** Intervals of a mean by resampling, which assume no shape of the values. */

import { mean, percentile } from "./stats.ts";
import { createUniform } from "./uniform.ts";

/** A mean with the bounds of its 95 % interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 2_000;
/** Share of the resampled means on each side of the interval. */
const TAIL = 0.025;

/**
 * The mean of `values` and its percentile bootstrap interval (Efron 1979): the middle 95 % of the means of samples of the same size,
 * drawn with replacement. Equal for equal values and seed; 0 without values.
 */
export function bootstrapMean(values: readonly number[], seed: number): Estimate {
  const uniform = createUniform(seed);
  const { length } = values;
  const means = Float64Array.from({ length: length === 0 ? 0 : RESAMPLES }, () => {
    let total = 0;
    for (let i = 0; i < length; i += 1) total += values[Math.floor(uniform() * length)] ?? 0;
    return total / length;
  });
  const own = mean(values) ?? 0;
  return {
    mean: own,
    low: percentile(means, TAIL) ?? own,
    high: percentile(means, 1 - TAIL) ?? own,
  };
}
