/**
 * The losses of the Tinker API, with derivatives with respect to each target's log-prob
 * (`docs/protocols/tinker.md#losses`). All are sums over tokens to be minimized.
 */

import type { EngineDatum, LossSpec } from "./engine.ts";

export interface LossResult {
  /** Sum of the per-token losses. */
  readonly loss: number;
  /** dL/dp per token; the gradient with respect to the logits is this times (onehot - softmax). */
  readonly coefficients: Float32Array;
}

/** Value and derivative of a token's loss at learner log-prob p, sampling log-prob q, and advantage a. */
interface TokenLoss {
  readonly value: number;
  readonly slope: number;
}

/** Evaluates one datum's loss at learner log-probs `p` [positions]. */
export function evaluateLoss(spec: LossSpec, datum: EngineDatum, p: Float32Array): LossResult {
  const coefficients = new Float32Array(p.length);
  const sequence = spec.name === "gspo" ? sequenceRatio(datum, p) : null;
  let loss = 0;
  for (let i = 0; i < p.length; i++) {
    const token = tokenLoss(spec, datum, i, p[i] ?? 0, sequence);
    loss += token.value;
    coefficients[i] = token.slope;
  }
  return { loss, coefficients };
}

/** Geometric mean of the ratios of tokens selected by `ratioMask`. */
function sequenceRatio({ logprobs, ratioMask }: EngineDatum, p: Float32Array): number {
  let total = 0;
  let count = 0;
  for (let i = 0; i < p.length; i++) {
    if ((ratioMask?.[i] ?? 0) === 0) continue;
    total += (p[i] ?? 0) - (logprobs?.[i] ?? 0);
    count += 1;
  }
  return Math.exp(total / count);
}

/** `sequence` is the ratio of the whole sequence; null if each token has its own. */
function tokenLoss(
  spec: LossSpec,
  datum: EngineDatum,
  i: number,
  p: number,
  sequence: number | null,
): TokenLoss {
  const a = datum.weights[i] ?? 0;
  if (spec.name === "cross_entropy") return { value: -a * p, slope: -a };
  const q = datum.logprobs?.[i] ?? 0;
  if (spec.name === "dro") {
    const gap = p - q;
    return { value: -(p * a - 0.5 * spec.beta * gap * gap), slope: -(a - spec.beta * gap) };
  }
  // An advantage of 0 drops the token: q may be a filler that makes the ratio infinite, and 0·inf is not 0.
  if (a === 0) return { value: 0, slope: 0 };
  // The sequence ratio has the value for the whole sequence but the gradient of the token's own log-prob, as in GSPO-token.
  const ratio = sequence ?? Math.exp(p - q);
  if (spec.name === "importance_sampling") return { value: -ratio * a, slope: -ratio * a };
  const low = datum.clipLow?.[i] ?? spec.clipLow;
  const high = datum.clipHigh?.[i] ?? spec.clipHigh;
  const clipped = Math.min(Math.max(ratio, low), high);
  if (spec.name === "cispo") return { value: -clipped * p * a, slope: -clipped * a };
  const free = ratio * a <= clipped * a;
  return { value: -Math.min(ratio * a, clipped * a), slope: free ? -ratio * a : 0 };
}
