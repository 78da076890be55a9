/** Draws the next token from a row of log-probs. */

import type { EngineSampleRequest, TopToken } from "./engine.ts";

export type SampleTokenOptions = Pick<EngineSampleRequest, "temperature" | "topK" | "topP">;

/**
 * A token id from log-probs `row` [vocabulary] and a uniform number: greedy at temperature 0, otherwise from the tempered distribution
 * restricted to the top-k tokens and then to the smallest nucleus with mass `topP`.
 */
export function sampleToken(
  row: Float32Array,
  options: SampleTokenOptions,
  uniform: number,
): number {
  if (options.temperature === 0) return largest(row);
  if (options.temperature === 1 && options.topK <= 0 && options.topP >= 1)
    return draw(row, uniform);
  return drawFiltered(row, options, uniform);
}

function largest(row: Float32Array): number {
  let best = 0;
  let value = row[0] ?? 0;
  for (let id = 1; id < row.length; id++) {
    const candidate = row[id] ?? 0;
    if (candidate > value) {
      value = candidate;
      best = id;
    }
  }
  return best;
}

function draw(row: Float32Array, uniform: number): number {
  let mass = 0;
  const last = row.length - 1;
  for (let id = 0; id < last; id++) {
    mass += Math.exp(row[id] ?? 0);
    if (mass > uniform) return id;
  }
  return last;
}

function drawFiltered(row: Float32Array, options: SampleTokenOptions, uniform: number): number {
  const tempered = Float64Array.from(row, (logprob) => logprob / options.temperature);
  const order = Array.from(row.keys()).sort(
    (a, b) => (tempered[b] ?? 0) - (tempered[a] ?? 0) || a - b,
  );
  const kept = options.topK > 0 ? order.slice(0, options.topK) : order;
  const top = tempered[kept[0] ?? 0] ?? 0;
  const weights = kept.map((id) => Math.exp((tempered[id] ?? 0) - top));
  const nucleus = nucleusSize(weights, options.topP);
  let total = 0;
  for (let i = 0; i < nucleus; i++) total += weights[i] ?? 0;
  let mass = 0;
  for (let i = 0; i < nucleus; i++) {
    mass += weights[i] ?? 0;
    if (mass > uniform * total) return kept[i] ?? 0;
  }
  return kept[nucleus - 1] ?? 0;
}

/** The number of leading weights whose mass first reaches the share `topP`. */
function nucleusSize(weights: readonly number[], topP: number): number {
  if (topP >= 1) return weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let mass = 0;
  for (const [i, weight] of weights.entries()) {
    mass += weight;
    if (mass >= topP * total) return i + 1;
  }
  return weights.length;
}

/** The `count` most likely tokens, in descending order. */
export function topTokens(row: Float32Array, count: number): readonly TopToken[] {
  return Array.from(row, (logprob, id) => ({ id, logprob }))
    .sort((a, b) => b.logprob - a.logprob || a.id - b.id)
    .slice(0, count);
}
