/** How far trainer and sampler disagree on the tokens that are trained on. */

import { fraction, mean, percentile, summarize } from "../util/stats.ts";
import type { MetricsTree } from "./metricsTree.ts";

/** Per-token arrays of one datum, all equally long. */
export interface DatumTokens {
  readonly samplerLogprobs: ArrayLike<number>;
  /** NaN where the trainer's value is unknown; null when there is none at all. */
  readonly trainerLogprobs: ArrayLike<number> | null;
  readonly mask: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  /** What the loss clips; absent = the ratio of trainer and sampler probability. */
  readonly lossRatios?: ArrayLike<number> | undefined;
}

/** Bounds of the ratio that the loss clips. */
export interface ClipBounds {
  readonly low: number;
  readonly high: number;
}

/** What the tokens that count have in common, one array each: a step has millions of them. */
interface TokenColumns {
  /** Log-probability by the sampler. */
  readonly q: Float64Array;
  /** Log-probability by the trainer, less that by the sampler. */
  readonly differences: Float64Array;
  readonly advantages: Float64Array;
  readonly lossRatios: Float64Array;
}

/**
 * The `optim/…` divergence metrics over tokens with mask 1 and a known trainer value; with w = e^(p-q):
 * v1 = mean(q-p), v2 = mean((q-p)²)/2, k3 = mean(w - 1 - (p-q)), entropy = -mean(q), ess = (Σw)² / (n Σw²).
 */
export function divergenceMetrics(
  datums: readonly DatumTokens[],
  clip: ClipBounds | null,
): MetricsTree {
  const { q, differences, advantages, lossRatios } = trainedTokens(datums);
  const ratios = differences.map(Math.exp);
  const distances = differences.map(Math.abs);
  const distance = summarize(distances);
  const ratio = summarize(ratios);
  return {
    kl_sample_train_v1: mean(differences.map((difference) => -difference)),
    kl_sample_train_v2: mean(differences.map((difference) => 0.5 * difference * difference)),
    kl_sample_train_k3: mean(differences.map((difference) => Math.expm1(difference) - difference)),
    entropy: mean(q.map((logprob) => -logprob)),
    logprob_diff_abs_mean: distance.mean,
    logprob_diff_abs_max: distance.max,
    logprob_diff_abs_p95: percentile(distances, 0.95),
    ratio_mean: ratio.mean,
    ratio_max: ratio.max,
    ratio_min: ratio.min,
    ess: effectiveShare(ratios),
    ...(clip === null ? {} : clippedShares(lossRatios, advantages, clip)),
  };
}

function trainedTokens(datums: readonly DatumTokens[]): TokenColumns {
  const most = datums.reduce((sum, { mask }) => sum + mask.length, 0);
  const columns = {
    q: new Float64Array(most),
    differences: new Float64Array(most),
    advantages: new Float64Array(most),
    lossRatios: new Float64Array(most),
  };
  let count = 0;
  for (const { samplerLogprobs, trainerLogprobs, mask, advantages, lossRatios } of datums) {
    if (trainerLogprobs === null) continue;
    for (let token = 0; token < mask.length; token += 1) {
      const p = trainerLogprobs[token] ?? Number.NaN;
      if (mask[token] !== 1 || Number.isNaN(p)) continue;
      const q = samplerLogprobs[token] ?? 0;
      columns.q[count] = q;
      columns.differences[count] = p - q;
      columns.advantages[count] = advantages[token] ?? 0;
      columns.lossRatios[count] = lossRatios?.[token] ?? Math.exp(p - q);
      count += 1;
    }
  }
  return {
    q: columns.q.subarray(0, count),
    differences: columns.differences.subarray(0, count),
    advantages: columns.advantages.subarray(0, count),
    lossRatios: columns.lossRatios.subarray(0, count),
  };
}

/** Share of tokens where the clip cuts the gradient off, not merely where the ratio lies outside. */
function clippedShares(
  ratios: Float64Array,
  advantages: Float64Array,
  { low, high }: ClipBounds,
): MetricsTree {
  let lowCount = 0;
  let highCount = 0;
  for (let token = 0; token < ratios.length; token += 1) {
    const ratio = ratios[token] ?? 0;
    const advantage = advantages[token] ?? 0;
    if (ratio < low && advantage < 0) lowCount += 1;
    if (ratio > high && advantage > 0) highCount += 1;
  }
  return {
    clip_frac_low: fraction(lowCount, ratios.length),
    clip_frac_high: fraction(highCount, ratios.length),
  };
}

function effectiveShare(weights: Float64Array): number | null {
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return fraction(sum * sum, weights.length * squares);
}
