/** How far trainer and sampler disagree on the tokens that are trained on (training loop, section C.8). */

import { fraction, mean, percentile, summarize } from "../util/stats.ts";
import type { MetricsTree } from "./metricsTree.ts";

/** Per-token arrays of one datum, all equally long. */
export interface DatumTokens {
  readonly samplerLogprobs: ArrayLike<number>;
  /** NaN where the trainer's value is unknown; null when there is none at all. */
  readonly trainerLogprobs: ArrayLike<number> | null;
  readonly mask: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
}

/** Bounds on the ratio of trainer and sampler probability. */
export interface ClipBounds {
  readonly low: number;
  readonly high: number;
}

interface TokenPair {
  /** Log-probability by the sampler. */
  readonly q: number;
  /** Log-probability by the trainer. */
  readonly p: number;
  readonly advantage: number;
}

/**
 * The `optim/…` divergence metrics over tokens with mask 1 and a known trainer value; with w = e^(p-q):
 * v1 = mean(q-p), v2 = mean((q-p)²)/2, k3 = mean(w - 1 - (p-q)), entropy = -mean(q), ess = (Σw)² / (n Σw²).
 */
export function divergenceMetrics(
  datums: readonly DatumTokens[],
  clip: ClipBounds | null,
): MetricsTree {
  const pairs = trainedPairs(datums);
  const differences = pairs.map(({ p, q }) => p - q);
  const ratios = differences.map(Math.exp);
  const distances = differences.map(Math.abs);
  const distance = summarize(distances);
  const ratio = summarize(ratios);
  return {
    kl_sample_train_v1: mean(differences.map((difference) => -difference)),
    kl_sample_train_v2: mean(differences.map((difference) => 0.5 * difference ** 2)),
    kl_sample_train_k3: mean(differences.map((difference) => Math.expm1(difference) - difference)),
    entropy: mean(pairs.map(({ q }) => -q)),
    logprob_diff_abs_mean: distance.mean,
    logprob_diff_abs_max: distance.max,
    logprob_diff_abs_p95: percentile(distances, 0.95),
    ratio_mean: ratio.mean,
    ratio_max: ratio.max,
    ratio_min: ratio.min,
    ess: effectiveShare(ratios),
    ...(clip === null ? {} : clippedShares(pairs, clip)),
  };
}

function trainedPairs(datums: readonly DatumTokens[]): readonly TokenPair[] {
  const pairs: TokenPair[] = [];
  for (const { samplerLogprobs, trainerLogprobs, mask, advantages } of datums) {
    if (trainerLogprobs === null) continue;
    for (let token = 0; token < mask.length; token += 1) {
      const p = trainerLogprobs[token] ?? Number.NaN;
      if (mask[token] !== 1 || Number.isNaN(p)) continue;
      pairs.push({ p, q: samplerLogprobs[token] ?? 0, advantage: advantages[token] ?? 0 });
    }
  }
  return pairs;
}

/** Share of tokens where the clip cuts the gradient off, not merely where the ratio lies outside. */
function clippedShares(pairs: readonly TokenPair[], { low, high }: ClipBounds): MetricsTree {
  const isLow = ({ p, q, advantage }: TokenPair): boolean => Math.exp(p - q) < low && advantage < 0;
  const isHigh = ({ p, q, advantage }: TokenPair): boolean =>
    Math.exp(p - q) > high && advantage > 0;
  return {
    clip_frac_low: fraction(pairs.filter(isLow).length, pairs.length),
    clip_frac_high: fraction(pairs.filter(isHigh).length, pairs.length),
  };
}

function effectiveShare(weights: readonly number[]): number | null {
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return fraction(sum * sum, weights.length * squares);
}
