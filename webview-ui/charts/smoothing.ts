/** Smoothing of series with gaps; a gap stays a gap and never counts as zero. */

import { mean } from "../../src/shared/mean.ts";

export type Smoothing =
  /** None below {@link AUTO_STEPS} steps, `ema` from there on. */
  { readonly kind: "auto"; readonly factor: number } | AppliedSmoothing;

type AppliedSmoothing =
  | { readonly kind: "none" }
  /** Exponential moving average; `factor` from 0 to 0.99 is the weight of the past. */
  | { readonly kind: "ema"; readonly factor: number }
  /** Mean or median of the last `size` known values. */
  | { readonly kind: "window" | "median"; readonly size: number };

/** In shorter runs the average lags too far behind the values. */
const AUTO_STEPS = 100;

/** Resolves `auto` for a run of this many steps. */
export function smoothingOf(smoothing: Smoothing, steps: number): AppliedSmoothing {
  if (smoothing.kind !== "auto") return smoothing;
  return steps < AUTO_STEPS ? { kind: "none" } : { kind: "ema", factor: smoothing.factor };
}

/** Smoothed values, NaN exactly where the input is NaN. Returns the input itself if there is nothing to smooth. */
export function smooth(values: ArrayLike<number>, smoothing: AppliedSmoothing): Float64Array {
  switch (smoothing.kind) {
    case "none":
      return values instanceof Float64Array ? values : Float64Array.from(values);
    case "ema":
      return movingAverage(values, smoothing.factor);
    case "window":
      return overWindow(values, smoothing.size, mean);
    case "median":
      return overWindow(values, smoothing.size, medianOf);
  }
}

/** Bias-corrected: s = (Σ f^(n-i) v_i) / (Σ f^(n-i)) over known values, so that the first ones are not drawn toward zero. */
function movingAverage(values: ArrayLike<number>, factor: number): Float64Array {
  const result = new Float64Array(values.length).fill(Number.NaN);
  let sum = 0;
  let weight = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum = factor * sum + value;
    weight = factor * weight + 1;
    result[index] = sum / weight;
  }
  return result;
}

function overWindow(
  values: ArrayLike<number>,
  size: number,
  reduce: (known: readonly number[]) => number,
): Float64Array {
  const result = new Float64Array(values.length).fill(Number.NaN);
  const known: number[] = [];
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    known.push(value);
    if (known.length > size) known.shift();
    result[index] = reduce(known);
  }
  return result;
}

function medianOf(known: readonly number[]): number {
  const sorted = [...known].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
