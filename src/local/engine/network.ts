/** Forward and hand-derived backward pass over packed sequences, without padding; positions restart with each sequence. */

import { AppError } from "../../core/errors.ts";
import {
  type LayerActivations,
  layerActivations,
  type PassBuffers,
  passBuffers,
} from "./activations.ts";
import type { TensorSpan } from "./architecture.ts";
import type { Arena } from "./arena.ts";
import { LinearTraining, type TrainTarget } from "./linearTraining.ts";
import { PackedAttention, type SequenceRows } from "./packedAttention.ts";
import type { Weights } from "./weights.ts";

export interface NetworkSequence {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
}

export class Network {
  readonly maxRows: number;
  readonly linear: LinearTraining;
  readonly #weights: Weights;
  readonly #arena: Arena;
  readonly #target: TrainTarget;
  readonly #layers: readonly LayerActivations[];
  readonly #b: PassBuffers;
  readonly #attention: PackedAttention;
  #rows = 0;

  constructor(weights: Weights, target: TrainTarget, maxRows: number) {
    this.#weights = weights;
    this.#arena = weights.arena;
    this.#target = target;
    this.maxRows = maxRows;
    this.#layers = Array.from({ length: weights.arch.layers }, () =>
      layerActivations(this.#arena, weights, maxRows),
    );
    const rank = target.kind === "lora" ? target.largest.paddedRank : 8;
    this.#b = passBuffers(this.#arena, weights, maxRows, rank);
    this.#attention = new PackedAttention(weights, this.#b);
    this.linear = new LinearTraining(weights, target, this.#b);
  }

  /** Log-probs of all targets, sequence by sequence. At most `maxRows` tokens in total. */
  forward(sequences: readonly NetworkSequence[]): Float32Array {
    const { arch, layout } = this.#weights;
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const n = this.#load(sequences);
    const d = arch.hiddenSize;
    const first = this.#layers[0];
    if (first === undefined) throw new AppError("engine-model", "The model has no layers.");
    kernels.gatherRows(this.#weights.pointer(layout.embedding), b.ids, first.x, n, d);
    for (const [index, layer] of this.#layers.entries()) {
      this.#forwardLayer(index, layer, this.#layers[index + 1]?.x ?? b.x, n);
    }
    this.#weights.normalize(layout.finalNorm, b.x, b.h, b.rstd, n);
    const v = arch.vocabSize;
    kernels.matmul(b.h, d, this.#weights.embeddingForward, d, b.logits, v, n, v, d, 1, 0);
    kernels.targetLogprobs(b.logits, b.targets, b.logprobs, n, v);
    return this.#arena.floats(b.logprobs, n).slice();
  }

  /** Adds the gradient of sum_i coefficients[i] * logprob[i] for the last `forward`. The output head skips rows with coefficient 0. */
  backward(coefficients: Float32Array): void {
    const kernels = this.#arena.kernels;
    const { arch, layout } = this.#weights;
    const b = this.#b;
    const n = this.#rows;
    const d = arch.hiddenSize;
    this.#backwardHead(coefficients);
    this.#arena.floats(b.dx, n * d).fill(0);
    this.#normBackward(layout.finalNorm, b.x, b.rstd);
    for (let index = this.#layers.length - 1; index >= 0; index--) {
      this.#backwardLayer(index, n);
    }
    if (this.#target.kind === "full") {
      kernels.scatterAddRows(b.dx, b.ids, this.linear.baseGradient(layout.embedding.offset), n, d);
    }
  }

  #load(sequences: readonly NetworkSequence[]): number {
    const lengths: SequenceRows[] = [];
    let n = 0;
    for (const sequence of sequences) {
      lengths.push({ start: n, length: sequence.tokens.length });
      n += sequence.tokens.length;
    }
    if (n > this.maxRows) {
      throw new AppError(
        "engine-rows",
        `A micro-batch of ${n} tokens exceeds ${this.maxRows} rows.`,
      );
    }
    this.#attention.load(lengths);
    this.#rows = n;
    const ids = this.#arena.ints(this.#b.ids, n);
    const targets = this.#arena.ints(this.#b.targets, n);
    const positions = this.#arena.ints(this.#b.positions, n);
    for (const [index, { start, length }] of lengths.entries()) {
      const sequence = sequences[index];
      if (sequence === undefined) continue;
      ids.set(sequence.tokens, start);
      targets.set(sequence.targets, start);
      for (let t = 0; t < length; t++) positions[start + t] = t;
    }
    return n;
  }

  #forwardLayer(index: number, layer: LayerActivations, next: number, n: number): void {
    const { arch, layout } = this.#weights;
    const kernels = this.#arena.kernels;
    const spans = layout.layers[index];
    if (spans === undefined) return;
    const d = arch.hiddenSize;
    this.#weights.normalize(spans.inputNorm, layer.x, layer.h, layer.rstd, n);
    this.linear.merged.project(index, "q", layer.h, layer.q, n);
    this.linear.merged.project(index, "k", layer.h, layer.k, n);
    this.linear.merged.project(index, "v", layer.h, layer.v, n);
    this.#weights.rotate(layer.q, this.#b.positions, n, 1);
    this.#weights.rotate(layer.k, this.#b.positions, n, 1);
    this.#attention.forward(layer);
    this.#arena.copy(layer.x2, layer.x, n * d);
    this.linear.merged.project(index, "o", layer.attended, layer.x2, n, 1);
    this.#weights.normalize(spans.postNorm, layer.x2, layer.h2, layer.rstd2, n);
    this.linear.merged.project(index, "gate", layer.h2, layer.gate, n);
    this.linear.merged.project(index, "up", layer.h2, layer.up, n);
    kernels.swiglu(layer.gate, layer.up, layer.gated, n * arch.feedForwardSize);
    this.#arena.copy(next, layer.x2, n * d);
    this.linear.merged.project(index, "down", layer.gated, next, n, 1);
  }

  /** Leaves the gradient of the normalized final hidden state in `dh`. */
  #backwardHead(coefficients: Float32Array): void {
    const { arch, layout } = this.#weights;
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const d = arch.hiddenSize;
    const v = arch.vocabSize;
    const index = this.#arena.ints(b.index, this.#rows);
    const targets = this.#arena.ints(b.targets, this.#rows);
    const scored = this.#arena.ints(b.scoredTargets, this.#rows);
    const c = this.#arena.floats(b.coefficients, this.#rows);
    let m = 0;
    for (let i = 0; i < this.#rows; i++) {
      const coefficient = coefficients[i] ?? 0;
      if (coefficient === 0) continue;
      index[m] = i;
      scored[m] = targets[i] ?? 0;
      c[m] = coefficient;
      m++;
    }
    this.#arena.floats(b.dh, this.#rows * d).fill(0);
    if (m === 0) return;
    // In-place gathering is safe because rows only move toward the front.
    kernels.gatherRows(b.logits, b.index, b.logits, m, v);
    kernels.targetLogprobsBackward(b.logits, b.scoredTargets, b.coefficients, m, v);
    kernels.matmul(b.logits, v, this.#weights.embeddingBackward, v, b.scoredRows, d, m, d, v, 1, 0);
    kernels.scatterRows(b.scoredRows, b.index, b.dh, m, d);
    if (this.#target.kind === "full") {
      kernels.gatherRows(b.h, b.index, b.scoredRows, m, d);
      const gradient = this.linear.baseGradient(layout.embedding.offset);
      kernels.matmulTransposedA(b.logits, v, b.scoredRows, d, gradient, d, v, d, m, 1);
    }
  }

  #backwardLayer(index: number, n: number): void {
    const { arch, layout } = this.#weights;
    const kernels = this.#arena.kernels;
    const layer = this.#layers[index];
    const spans = layout.layers[index];
    if (layer === undefined || spans === undefined) return;
    const b = this.#b;
    this.linear.backward(index, "down", layer.gated, b.dx, b.dGated, n, 0);
    kernels.swigluBackward(layer.gate, layer.up, b.dGated, n * arch.feedForwardSize);
    this.linear.backward(index, "gate", layer.h2, layer.gate, b.dh, n, 0);
    this.linear.backward(index, "up", layer.h2, layer.up, b.dh, n, 1);
    this.#normBackward(spans.postNorm, layer.x2, layer.rstd2);
    this.linear.backward(index, "o", layer.attended, b.dx, b.dAttended, n, 0);
    this.#attention.backward(layer);
    this.#weights.rotate(b.dq, b.positions, n, -1);
    this.#weights.rotate(b.dk, b.positions, n, -1);
    // With a frozen base, nothing below the first layer is trained.
    const needsInput = index > 0 || this.#target.kind === "full";
    const into = needsInput ? b.dh : 0;
    this.linear.backward(index, "q", layer.h, b.dq, into, n, 0);
    this.linear.backward(index, "k", layer.h, b.dk, into, n, 1);
    this.linear.backward(index, "v", layer.h, b.dv, into, n, 1);
    if (needsInput) this.#normBackward(spans.inputNorm, layer.x, layer.rstd);
  }

  /** Backpropagates `dh` through the normalization of `x` and adds the result to `dx`. */
  #normBackward(gain: TensorSpan, x: number, rstd: number): void {
    const { arch, arena } = this.#weights;
    const { dh, dx } = this.#b;
    const dGain = this.linear.baseGradient(gain.offset);
    const [w, d] = [this.#weights.pointer(gain), arch.hiddenSize];
    arena.kernels.rmsNormBackward(x, w, rstd, dh, dx, dGain, this.#rows, d);
  }
}
