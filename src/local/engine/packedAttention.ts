/** Causal attention over packed sequences, one sequence and head at a time, forward and backward. */

import type { LayerActivations, PassBuffers } from "./activations.ts";
import { roundUp } from "./architecture.ts";
import type { Kernels } from "./arena.ts";
import type { Weights } from "./weights.ts";

/** Rows of the attention matrix computed at once; columns to the right of the block's diagonal are skipped. */
const ATTENTION_ROWS = 32;

/** A sequence's position among the packed rows. */
export interface SequenceRows {
  readonly start: number;
  readonly length: number;
}

export class PackedAttention {
  readonly #kernels: Kernels;
  readonly #b: PassBuffers;
  readonly #heads: number;
  /** Floats per row, and per head within it. */
  readonly #d: number;
  readonly #dh: number;
  readonly #scale: number;
  #sequences: readonly SequenceRows[] = [];

  constructor(weights: Weights, buffers: PassBuffers) {
    const { hiddenSize, heads } = weights.arch;
    this.#kernels = weights.arena.kernels;
    this.#b = buffers;
    this.#heads = heads;
    this.#d = hiddenSize;
    this.#dh = hiddenSize / heads;
    this.#scale = 1 / Math.sqrt(this.#dh);
  }

  /** Sets the sequences of the next pass. */
  load(sequences: readonly SequenceRows[]): void {
    this.#sequences = sequences;
  }

  /** Visits each (sequence, head) with the byte offsets of its rows and of its probabilities. */
  #eachHead(visit: (offset: number, length: number, probabilities: number) => void): void {
    let probabilities = 0;
    for (const { start, length } of this.#sequences) {
      for (let head = 0; head < this.#heads; head++) {
        visit((start * this.#d + head * this.#dh) * 4, length, probabilities);
        probabilities += length * roundUp(length, 8) * 4;
      }
    }
  }

  /** attended = softmax(q·transpose(k) / sqrt(dh))·v; keeps the probabilities for the backward pass. */
  forward(layer: LayerActivations): void {
    const [kernels, b, d, dh, scale] = [this.#kernels, this.#b, this.#d, this.#dh, this.#scale];
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

  /** Computes dq, dk, and dv from dAttended. */
  backward(layer: LayerActivations): void {
    const [kernels, b, d, dh, scale] = [this.#kernels, this.#b, this.#d, this.#dh, this.#scale];
    this.#eachHead((offset, length, place) => {
      const columns = roundUp(length, 8);
      const probabilities = layer.probabilities + place;
      kernels.packTransposed(layer.v + offset, d, dh, length, b.pack1);
      kernels.pack(layer.k + offset, d, length, dh, b.pack2);
      for (let i = 0; i < length; i += ATTENTION_ROWS) {
        const rows = Math.min(ATTENTION_ROWS, length - i);
        const seen = i + rows;
        const block = i * columns * 4;
        const [p, ds] = [probabilities + block, b.dScores + block];
        const dOut = b.dAttended + offset + i * d * 4;
        kernels.matmul(dOut, d, b.pack1, dh, ds, columns, rows, roundUp(seen, 8), dh, 1, 0);
        kernels.softmaxBackward(p, ds, columns, rows, i, columns, scale);
        const dq = b.dq + offset + i * d * 4;
        kernels.matmul(ds, columns, b.pack2, length, dq, d, rows, dh, seen, 1, 0);
      }
      this.#transposedProduct(probabilities, b.dAttended + offset, b.dv + offset, length, columns);
      this.#transposedProduct(b.dScores, layer.q + offset, b.dk + offset, length, columns);
    });
  }

  /**
   * out[T, dh] = transpose(square[T, T]) * rows[T, dh], used for the gradients of values and keys. The square is zero right of
   * its diagonal, so a block of output rows only needs the input rows from its own start on.
   */
  #transposedProduct(
    square: number,
    rows: number,
    out: number,
    length: number,
    columns: number,
  ): void {
    const [kernels, b, d, dh] = [this.#kernels, this.#b, this.#d, this.#dh];
    kernels.pack(rows, d, length, dh, b.pack1);
    for (let j = 0; j < length; j += ATTENTION_ROWS) {
      const width = Math.min(ATTENTION_ROWS, length - j);
      const depth = length - j;
      const [from, turned] = [square + (j * columns + j) * 4, b.transposed];
      kernels.transpose(from, columns, depth, width, turned, columns);
      // Packed panels have eight columns per row, so skipping j rows skips 8·j values of each panel.
      const packed = b.pack1 + j * 8 * 4;
      const to = out + j * d * 4;
      kernels.matmul(turned, columns, packed, length, to, d, width, dh, depth, 1, 0);
    }
  }
}
