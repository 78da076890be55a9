/** How far the trainer's and the sampler's log-probabilities differ on a step's tokens. */

import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { RunningPercentile } from "../../util/runningPercentile.ts";
import { fraction, RunningMean, RunningStats } from "../../util/stats.ts";
import type { MetricsTree } from "./metricsTree.ts";

/** Per-token arrays of one datum, all of equal length. */
export interface ComparedTokens {
  readonly samplerLogprobs: ArrayLike<number>;
  /** NaN where the trainer's value is unknown; null if all are. */
  readonly trainerLogprobs: ArrayLike<number> | null;
  readonly mask: ArrayLike<number>;
}

/** A datum that was sent for training. */
export interface DatumTokens extends ComparedTokens {
  readonly advantages: ArrayLike<number>;
  /** The ratios that the loss clips; absent = the ratio of trainer to sampler probability. */
  readonly lossRatios?: ArrayLike<number> | undefined;
}

/** Bounds to which the loss clips the ratio. */
export interface ClipBounds {
  readonly low: number;
  readonly high: number;
  /**
   * `gradient`: beyond a bound, the gradient is zero if the advantage pushes further out (PPO, GSPO). `weight`: the ratio is a
   * weight clipped at either bound, whatever the advantage (CISPO, arXiv:2506.13585, equation 5).
   */
  readonly cuts: "gradient" | "weight";
}

/**
 * The `optim/…` divergence metrics over tokens with mask 1 and a known trainer value, including those of `masked` data. With p
 * and q the trainer's and sampler's log-probabilities and w = e^(p-q): v1 = mean(q-p), v2 = mean((q-p)²)/2, k3 = mean(w - 1 -
 * (p-q)), entropy = -mean(q), ess = (Σw)² / (n Σw²). The clip fractions are relative to the tokens that were sent.
 */
export function divergenceMetrics(
  datums: readonly DatumTokens[],
  masked: readonly ComparedTokens[],
  clip: ClipBounds | null,
): MetricsTree {
  const tokens = new DivergenceSums(clip);
  for (const datum of datums) {
    const { advantages, lossRatios } = datum;
    eachToken([datum], (p, q, token) => {
      tokens.add(p, q);
      tokens.addToLoss(lossRatios?.[token] ?? Math.exp(p - q), advantages[token] ?? 0);
    });
  }
  eachToken(masked, (p, q) => tokens.add(p, q));
  return tokens.metrics((take) => {
    eachToken([...datums, ...masked], (p, q) => take(Math.abs(p - q)));
  });
}

/** Visits the counted tokens with their log-probabilities: `p` from the trainer, `q` from the sampler. */
function eachToken(
  data: readonly ComparedTokens[],
  visit: (p: number, q: number, token: number) => void,
): void {
  for (const { samplerLogprobs, trainerLogprobs, mask } of data) {
    for (let token = 0; token < mask.length; token += 1) {
      const p = trainerLogprobs?.[token] ?? Number.NaN;
      if (mask[token] === 1 && !Number.isNaN(p)) visit(p, samplerLogprobs[token] ?? 0, token);
    }
  }
}

/** Accumulates token by token: a step has millions, so an array per metric would take more memory than the batch. */
class DivergenceSums {
  readonly #clip: ClipBounds | null;
  readonly #v1 = new RunningMean();
  readonly #v2 = new RunningMean();
  readonly #k3 = new RunningMean();
  readonly #entropy = new RunningMean();
  readonly #distance = new RunningStats();
  readonly #distances = new RunningPercentile();
  readonly #ratio = new RunningStats();
  #ratioSum = 0;
  #ratioSquares = 0;
  #inLoss = 0;
  #clippedLow = 0;
  #clippedHigh = 0;

  constructor(clip: ClipBounds | null) {
    this.#clip = clip;
  }

  /** Adds a token with log-probability `p` from the trainer and `q` from the sampler. */
  add(p: number, q: number): void {
    const difference = p - q;
    const ratio = Math.exp(difference);
    this.#v1.add(-difference);
    this.#v2.add(0.5 * difference * difference);
    this.#k3.add(Math.expm1(difference) - difference);
    this.#entropy.add(-q);
    this.#distance.add(Math.abs(difference));
    this.#distances.add(Math.abs(difference));
    this.#ratio.add(ratio);
    this.#ratioSum += ratio;
    this.#ratioSquares += ratio * ratio;
  }

  /** Adds a token of the loss. Counts it as clipped only if clipping has an effect, not merely if the ratio is out of bounds. */
  addToLoss(ratio: number, advantage: number): void {
    if (this.#clip === null) return;
    const { low, high, cuts } = this.#clip;
    this.#inLoss += 1;
    const [cutsLow, cutsHigh] =
      cuts === "weight" ? [advantage !== 0, advantage !== 0] : [advantage < 0, advantage > 0];
    if (ratio < low && cutsLow) this.#clippedLow += 1;
    if (ratio > high && cutsHigh) this.#clippedHigh += 1;
  }

  /** `each` visits the distance of every token again. */
  metrics(each: (take: (distance: number) => void) => void): MetricsTree {
    const distance = this.#distance.stats;
    const ratio = this.#ratio.stats;
    const { count } = ratio;
    const isClipped = this.#clip !== null;
    return withoutUndefined({
      compared_tokens: count,
      kl_sample_train_v1: this.#v1.mean,
      kl_sample_train_v2: this.#v2.mean,
      kl_sample_train_k3: this.#k3.mean,
      entropy: this.#entropy.mean,
      logprob_diff_abs_mean: distance.mean,
      logprob_diff_abs_max: distance.max,
      logprob_diff_abs_p95: this.#distances.at(0.95, each),
      ratio_mean: ratio.mean,
      ratio_max: ratio.max,
      ratio_min: ratio.min,
      ess: fraction(this.#ratioSum * this.#ratioSum, count * this.#ratioSquares),
      clip_frac_low: isClipped ? fraction(this.#clippedLow, this.#inLoss) : undefined,
      clip_frac_high: isClipped ? fraction(this.#clippedHigh, this.#inLoss) : undefined,
    });
  }
}
