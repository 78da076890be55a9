/** Forward and hand-derived backward pass over packed sequences; no padding, positions restart with every sequence. */

import { AppError } from "../../core/errors.ts";
import {
  type AdapterLayout,
  LORA_SCALE,
  type LoraSpans,
  type Projection,
  projectionShape,
  roundUp,
} from "./architecture.ts";
import type { Arena } from "./arena.ts";
import { ropeTables, type WeightSet, type Weights } from "./weights.ts";

/** Rows of the attention matrix computed at a time: columns right of the block's diagonal are skipped. */
const ATTENTION_ROWS = 32;

/** What is trained: LoRA parameters, or every base weight (for making the base model). */
export type TrainTarget =
  | { readonly kind: "lora"; readonly largest: AdapterLayout }
  | { readonly kind: "full" };

export interface NetworkSequence {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
}

interface LayerActivations {
  /** Input, normalised input, its reciprocal root. */
  readonly x: number;
  readonly h: number;
  readonly rstd: number;
  readonly q: number;
  readonly k: number;
  readonly v: number;
  readonly attended: number;
  /** After attention: input of the feed-forward half, and its norm. */
  readonly x2: number;
  readonly h2: number;
  readonly rstd2: number;
  readonly gate: number;
  readonly up: number;
  readonly gated: number;
  /** Attention probabilities, [heads, T, roundUp(T, 8)] per sequence, one after another. */
  readonly probabilities: number;
}

interface Lengths {
  readonly start: number;
  readonly length: number;
}

export class Network {
  readonly maxRows: number;
  readonly #weights: Weights;
  readonly #arena: Arena;
  readonly #set: WeightSet;
  readonly #target: TrainTarget;
  readonly #rope: { readonly cos: number; readonly sin: number };
  /** Flat parameters of the adapter (lora only) and their gradients. */
  readonly #adapter: number;
  readonly #gradient: number;
  #gradientLength: number;
  #layout: AdapterLayout | null = null;
  readonly #layers: readonly LayerActivations[];
  readonly #b: ReturnType<typeof buffers>;
  #sequences: readonly Lengths[] = [];
  #rows = 0;

  constructor(weights: Weights, target: TrainTarget, maxRows: number) {
    this.#weights = weights;
    this.#arena = weights.arena;
    this.#target = target;
    this.maxRows = maxRows;
    this.#rope = ropeTables(weights.arena, weights.arch);
    this.#set = weights.allocateSet(true);
    this.#gradientLength = target.kind === "lora" ? target.largest.length : weights.layout.length;
    this.#adapter = target.kind === "lora" ? this.#arena.alloc(target.largest.length) : 0;
    this.#gradient = this.#arena.alloc(this.#gradientLength);
    this.#layers = Array.from({ length: weights.arch.layers }, () =>
      layerActivations(this.#arena, weights, maxRows),
    );
    const rank = target.kind === "lora" ? target.largest.paddedRank : 8;
    this.#b = buffers(this.#arena, weights, maxRows, rank);
    if (target.kind === "full") weights.merge(this.#set, null);
  }

  /** Takes new base weights. Full training only. */
  setBase(parameters: Float32Array): void {
    this.#weights.setBase(parameters);
    this.#weights.merge(this.#set, null);
  }

  /** Takes an adapter's parameters; its rank may differ from the one before. */
  setAdapter(layout: AdapterLayout, parameters: Float32Array): void {
    this.#layout = layout;
    this.#gradientLength = layout.length;
    this.#arena.floats(this.#adapter, layout.length).set(parameters);
    this.#weights.merge(this.#set, { layout, pointer: this.#adapter });
  }

  clearGradient(): void {
    this.#arena.floats(this.#gradient, this.#gradientLength).fill(0);
  }

  /** Copy of the flat gradient accumulated since the last clear. */
  gradient(): Float32Array {
    return this.#arena.floats(this.#gradient, this.#gradientLength).slice();
  }

  /** Log-probs of all targets, sequences one after another. At most `maxRows` tokens in all. */
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
    kernels.rmsNorm(b.x, this.#weights.pointer(layout.finalNorm), b.h, b.rstd, n, d, arch.normEps);
    const v = arch.vocabSize;
    kernels.matmul(b.h, d, this.#weights.embeddingForward, d, b.logits, v, n, v, d, 1, 0);
    kernels.targetLogprobs(b.logits, b.targets, b.logprobs, n, v, 1);
    return this.#arena.floats(b.logprobs, n).slice();
  }

  /**
   * Adds the gradient of sum_i coefficients[i] * logprob[i] over the last `forward`. Rows with coefficient 0 cost nothing
   * in the head.
   */
  backward(coefficients: Float32Array): void {
    const kernels = this.#arena.kernels;
    const { arch, layout } = this.#weights;
    const b = this.#b;
    const n = this.#rows;
    const d = arch.hiddenSize;
    this.#backwardHead(coefficients);
    this.#arena.floats(b.dx, n * d).fill(0);
    const dGain = this.#baseGradient(layout.finalNorm.offset);
    kernels.rmsNormBackward(
      b.x,
      this.#weights.pointer(layout.finalNorm),
      b.rstd,
      b.dh,
      b.dx,
      dGain,
      n,
      d,
    );
    for (let index = this.#layers.length - 1; index >= 0; index--) {
      this.#backwardLayer(index, n);
    }
    if (this.#target.kind === "full") {
      kernels.scatterAddRows(b.dx, b.ids, this.#baseGradient(layout.embedding.offset), n, d);
    }
  }

  /** Pointer into the gradient of base weights; 0 when they are frozen. */
  #baseGradient(offset: number): number {
    return this.#target.kind === "full" ? this.#gradient + offset * 4 : 0;
  }

  #load(sequences: readonly NetworkSequence[]): number {
    const lengths: Lengths[] = [];
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
    this.#sequences = lengths;
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
    const headSize = d / arch.heads;
    const { cos, sin } = this.#rope;
    kernels.rmsNorm(
      layer.x,
      this.#weights.pointer(spans.inputNorm),
      layer.h,
      layer.rstd,
      n,
      d,
      arch.normEps,
    );
    this.#linear(index, "q", layer.h, layer.q, n);
    this.#linear(index, "k", layer.h, layer.k, n);
    this.#linear(index, "v", layer.h, layer.v, n);
    kernels.rope(layer.q, d, this.#b.positions, cos, sin, n, arch.heads, headSize, 1);
    kernels.rope(layer.k, d, this.#b.positions, cos, sin, n, arch.heads, headSize, 1);
    this.#attend(layer);
    this.#arena.copy(layer.x2, layer.x, n * d);
    this.#linear(index, "o", layer.attended, layer.x2, n, 1);
    kernels.rmsNorm(
      layer.x2,
      this.#weights.pointer(spans.postNorm),
      layer.h2,
      layer.rstd2,
      n,
      d,
      arch.normEps,
    );
    this.#linear(index, "gate", layer.h2, layer.gate, n);
    this.#linear(index, "up", layer.h2, layer.up, n);
    kernels.swiglu(layer.gate, layer.up, layer.gated, n * arch.feedForwardSize);
    this.#arena.copy(next, layer.x2, n * d);
    this.#linear(index, "down", layer.gated, next, n, 1);
  }

  #linear(
    layer: number,
    projection: Projection,
    x: number,
    y: number,
    n: number,
    accumulate = 0,
  ): void {
    const [input, output] = projectionShape(this.#weights.arch, projection);
    const packed = this.#set[layer]?.[projection];
    if (packed === undefined) return;
    this.#arena.kernels.matmul(
      x,
      input,
      packed.forward,
      input,
      y,
      output,
      n,
      output,
      input,
      1,
      accumulate,
    );
  }

  /** Visits every (sequence, head) with the byte offset of its rows and the place of its probabilities. */
  #eachHead(visit: (offset: number, length: number, probabilities: number) => void): void {
    const { arch } = this.#weights;
    const d = arch.hiddenSize;
    const headSize = d / arch.heads;
    let probabilities = 0;
    for (const { start, length } of this.#sequences) {
      for (let head = 0; head < arch.heads; head++) {
        visit((start * d + head * headSize) * 4, length, probabilities);
        probabilities += length * roundUp(length, 8) * 4;
      }
    }
  }

  #attend(layer: LayerActivations): void {
    const { arch } = this.#weights;
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const d = arch.hiddenSize;
    const dh = d / arch.heads;
    const scale = 1 / Math.sqrt(dh);
    this.#eachHead((offset, length, place) => {
      const columns = roundUp(length, 8);
      const probabilities = layer.probabilities + place;
      kernels.packTransposed(layer.k + offset, d, dh, length, b.pack1);
      kernels.pack(layer.v + offset, d, length, dh, b.pack2);
      for (let i = 0; i < length; i += ATTENTION_ROWS) {
        const rows = Math.min(ATTENTION_ROWS, length - i);
        const seen = i + rows;
        const block = probabilities + i * columns * 4;
        const q = layer.q + offset + i * d * 4;
        kernels.matmul(q, d, b.pack1, dh, block, columns, rows, roundUp(seen, 8), dh, scale, 0);
        kernels.softmaxCausal(block, columns, rows, i, columns);
        const out = layer.attended + offset + i * d * 4;
        kernels.matmul(block, columns, b.pack2, length, out, d, rows, dh, seen, 1, 0);
      }
    });
  }

  /** Leaves the gradient of the normalised final hidden state in `dh`. */
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
    // Rows only move towards the front, so gathering in place is safe.
    kernels.gatherRows(b.logits, b.index, b.logits, m, v);
    kernels.targetLogprobsBackward(b.logits, b.scoredTargets, b.coefficients, m, v);
    kernels.matmul(b.logits, v, this.#weights.embeddingBackward, v, b.scoredRows, d, m, d, v, 1, 0);
    kernels.scatterRows(b.scoredRows, b.index, b.dh, m, d);
    if (this.#target.kind === "full") {
      kernels.gatherRows(b.h, b.index, b.scoredRows, m, d);
      const gradient = this.#baseGradient(layout.embedding.offset);
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
    const d = arch.hiddenSize;
    this.#linearBackward(index, "down", layer.gated, b.dx, b.dGated, n, 0);
    kernels.swigluBackward(layer.gate, layer.up, b.dGated, n * arch.feedForwardSize);
    this.#linearBackward(index, "gate", layer.h2, layer.gate, b.dh, n, 0);
    this.#linearBackward(index, "up", layer.h2, layer.up, b.dh, n, 1);
    const postGain = this.#baseGradient(spans.postNorm.offset);
    kernels.rmsNormBackward(
      layer.x2,
      this.#weights.pointer(spans.postNorm),
      layer.rstd2,
      b.dh,
      b.dx,
      postGain,
      n,
      d,
    );
    this.#linearBackward(index, "o", layer.attended, b.dx, b.dAttended, n, 0);
    this.#attendBackward(layer);
    const { cos, sin } = this.#rope;
    const dh = d / arch.heads;
    kernels.rope(b.dq, d, b.positions, cos, sin, n, arch.heads, dh, -1);
    kernels.rope(b.dk, d, b.positions, cos, sin, n, arch.heads, dh, -1);
    // Nothing below the first layer learns when the base is frozen.
    const needsInput = index > 0 || this.#target.kind === "full";
    const into = needsInput ? b.dh : 0;
    this.#linearBackward(index, "q", layer.h, b.dq, into, n, 0);
    this.#linearBackward(index, "k", layer.h, b.dk, into, n, 1);
    this.#linearBackward(index, "v", layer.h, b.dv, into, n, 1);
    if (!needsInput) return;
    const inputGain = this.#baseGradient(spans.inputNorm.offset);
    kernels.rmsNormBackward(
      layer.x,
      this.#weights.pointer(spans.inputNorm),
      layer.rstd,
      b.dh,
      b.dx,
      inputGain,
      n,
      d,
    );
  }

  #attendBackward(layer: LayerActivations): void {
    const { arch } = this.#weights;
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const d = arch.hiddenSize;
    const dh = d / arch.heads;
    const scale = 1 / Math.sqrt(dh);
    this.#eachHead((offset, length, place) => {
      const columns = roundUp(length, 8);
      const probabilities = layer.probabilities + place;
      kernels.packTransposed(layer.v + offset, d, dh, length, b.pack1);
      kernels.pack(layer.k + offset, d, length, dh, b.pack2);
      for (let i = 0; i < length; i += ATTENTION_ROWS) {
        const rows = Math.min(ATTENTION_ROWS, length - i);
        const seen = i + rows;
        const block = i * columns * 4;
        const dOut = b.dAttended + offset + i * d * 4;
        kernels.matmul(
          dOut,
          d,
          b.pack1,
          dh,
          b.dScores + block,
          columns,
          rows,
          roundUp(seen, 8),
          dh,
          1,
          0,
        );
        kernels.softmaxBackward(
          probabilities + block,
          b.dScores + block,
          columns,
          rows,
          i,
          columns,
          scale,
        );
        const dq = b.dq + offset + i * d * 4;
        kernels.matmul(b.dScores + block, columns, b.pack2, length, dq, d, rows, dh, seen, 1, 0);
      }
      this.#transposedProduct(probabilities, b.dAttended + offset, b.dv + offset, length, columns);
      this.#transposedProduct(b.dScores, layer.q + offset, b.dk + offset, length, columns);
    });
  }

  /**
   * out[T, dh] = transpose(square[T, T]) * rows[T, dh]: how values and keys receive their gradients. The square is zero right of
   * its diagonal, so a block of output rows only needs the rows from its own start on.
   */
  #transposedProduct(
    square: number,
    rows: number,
    out: number,
    length: number,
    columns: number,
  ): void {
    const { arch } = this.#weights;
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const d = arch.hiddenSize;
    const dh = d / arch.heads;
    kernels.pack(rows, d, length, dh, b.pack1);
    for (let j = 0; j < length; j += ATTENTION_ROWS) {
      const width = Math.min(ATTENTION_ROWS, length - j);
      const depth = length - j;
      kernels.transpose(
        square + (j * columns + j) * 4,
        columns,
        depth,
        width,
        b.transposed,
        columns,
      );
      // Packed panels hold eight columns a row: skipping j rows skips 8·j values of every panel.
      const packed = b.pack1 + j * 8 * 4;
      kernels.matmul(
        b.transposed,
        columns,
        packed,
        length,
        out + j * d * 4,
        d,
        width,
        dh,
        depth,
        1,
        0,
      );
    }
  }

  /** dx (+)= dy·transpose(W') unless `dx` is 0, and the weight or LoRA gradient from x and dy. */
  #linearBackward(
    layer: number,
    projection: Projection,
    x: number,
    dy: number,
    dx: number,
    n: number,
    accumulate: number,
  ): void {
    const kernels = this.#arena.kernels;
    const [input, output] = projectionShape(this.#weights.arch, projection);
    const packed = this.#set[layer]?.[projection];
    if (packed === undefined) return;
    if (dx !== 0) {
      kernels.matmul(
        dy,
        output,
        packed.backward,
        output,
        dx,
        input,
        n,
        input,
        output,
        1,
        accumulate,
      );
    }
    if (this.#target.kind === "full") {
      const span = this.#weights.layout.layers[layer]?.projections[projection];
      const gradient = this.#baseGradient(span?.offset ?? 0);
      kernels.matmulTransposedA(x, input, dy, output, gradient, output, input, output, n, 1);
      return;
    }
    const lora = this.#layout?.layers[layer]?.[projection];
    if (lora !== undefined) this.#loraGradient(lora, x, dy, n);
  }

  /** With Y = X·W + s·(X·A)·B: dB = s·transpose(X·A)·dY and dA = s·transpose(X)·(dY·transpose(B)). */
  #loraGradient(lora: LoraSpans, x: number, dy: number, n: number): void {
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const { rows: input, columns: r } = lora.a;
    const output = lora.b.columns;
    kernels.pack(this.#adapter + lora.a.offset * 4, r, input, r, b.packLora);
    kernels.matmul(x, input, b.packLora, input, b.xa, r, n, r, input, 1, 0);
    const gradientB = this.#gradient + lora.b.offset * 4;
    kernels.matmulTransposedA(b.xa, r, dy, output, gradientB, output, r, output, n, LORA_SCALE);
    kernels.packTransposed(this.#adapter + lora.b.offset * 4, output, output, r, b.packLora);
    kernels.matmul(dy, output, b.packLora, output, b.xa, r, n, r, output, 1, 0);
    const gradientA = this.#gradient + lora.a.offset * 4;
    kernels.matmulTransposedA(x, input, b.xa, r, gradientA, r, input, r, n, LORA_SCALE);
  }
}

function layerActivations(arena: Arena, weights: Weights, rows: number): LayerActivations {
  const { hiddenSize: d, feedForwardSize: ff, heads, maxContext } = weights.arch;
  return {
    x: arena.alloc(rows * d),
    h: arena.alloc(rows * d),
    rstd: arena.alloc(rows),
    q: arena.alloc(rows * d),
    k: arena.alloc(rows * d),
    v: arena.alloc(rows * d),
    attended: arena.alloc(rows * d),
    x2: arena.alloc(rows * d),
    h2: arena.alloc(rows * d),
    rstd2: arena.alloc(rows),
    gate: arena.alloc(rows * ff),
    up: arena.alloc(rows * ff),
    gated: arena.alloc(rows * ff),
    // A sequence of T tokens takes T rows and T·roundUp(T, 8) entries a head; short ones waste up to seven columns a row.
    probabilities: arena.alloc(heads * rows * roundUp(maxContext, 8)),
  };
}

function buffers(arena: Arena, weights: Weights, rows: number, rank: number) {
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
