/** Buffers of a forward and backward pass, allocated once for the largest micro-batch. */

import { roundUp } from "./architecture.ts";
import type { Arena } from "./arena.ts";
import type { Weights } from "./weights.ts";

export function layerActivations(arena: Arena, weights: Weights, rows: number) {
  const { hiddenSize: d, feedForwardSize: ff, heads, maxContext } = weights.arch;
  return {
    /** Input, normalized input, and its reciprocal RMS. */
    x: arena.alloc(rows * d),
    h: arena.alloc(rows * d),
    rstd: arena.alloc(rows),
    q: arena.alloc(rows * d),
    k: arena.alloc(rows * d),
    v: arena.alloc(rows * d),
    attended: arena.alloc(rows * d),
    /** Output of attention, which is the input of the feed-forward half, and its norm. */
    x2: arena.alloc(rows * d),
    h2: arena.alloc(rows * d),
    rstd2: arena.alloc(rows),
    gate: arena.alloc(rows * ff),
    up: arena.alloc(rows * ff),
    gated: arena.alloc(rows * ff),
    /**
     * Attention probabilities, [heads, T, roundUp(T, 8)] per sequence, one after another. A sequence of T tokens takes T rows and
     * T·roundUp(T, 8) entries per head; padding wastes up to seven columns per row.
     */
    probabilities: arena.alloc(heads * rows * roundUp(maxContext, 8)),
  };
}

export type LayerActivations = Readonly<ReturnType<typeof layerActivations>>;

export function passBuffers(arena: Arena, weights: Weights, rows: number, rank: number) {
  const { hiddenSize: d, feedForwardSize: ff, vocabSize: v, maxContext } = weights.arch;
  const square = roundUp(maxContext, 8) ** 2;
  return {
    ids: arena.alloc(rows),
    targets: arena.alloc(rows),
    positions: arena.alloc(rows),
    index: arena.alloc(rows),
    scoredTargets: arena.alloc(rows),
    coefficients: arena.alloc(rows),
    scoredRows: arena.alloc(rows * d),
    x: arena.alloc(rows * d),
    h: arena.alloc(rows * d),
    rstd: arena.alloc(rows),
    logits: arena.alloc(rows * v),
    logprobs: arena.alloc(rows),
    dx: arena.alloc(rows * d),
    dh: arena.alloc(rows * d),
    dq: arena.alloc(rows * d),
    dk: arena.alloc(rows * d),
    dv: arena.alloc(rows * d),
    dAttended: arena.alloc(rows * d),
    dGated: arena.alloc(rows * ff),
    dScores: arena.alloc(square),
    transposed: arena.alloc(square),
    pack1: arena.alloc(square),
    pack2: arena.alloc(square),
    xa: arena.alloc(rows * rank),
    packLora: arena.alloc(Math.max(d, ff) * rank),
  };
}

export type PassBuffers = Readonly<ReturnType<typeof passBuffers>>;
