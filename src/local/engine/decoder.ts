/** Incremental inference with a KV cache; one step handles any mix of prompt rows and single next tokens. */

import { AppError } from "../../core/errors.ts";
import { type Projection, roundUp } from "./architecture.ts";
import type { Arena } from "./arena.ts";
import type { LoraWeights } from "./loraWeights.ts";
import type { Weights } from "./weights.ts";

/** Padding between slots' caches, in floats: power-of-two distances would make them compete for the same CPU cache lines. */
const STAGGER = 144;

/** Tokens to append to a slot; `wanted` = number of trailing tokens that need log-probs. */
export interface DecodeInput {
  readonly slot: number;
  readonly tokens: Int32Array;
  readonly wanted: number;
}

interface Slot {
  readonly keys: readonly number[];
  readonly values: readonly number[];
  length: number;
}

export class Decoder {
  /** Maximum number of rows per step. */
  readonly maxRows: number;
  readonly #weights: Weights;
  readonly #arena: Arena;
  readonly #slots: Slot[] = [];
  readonly #b: ReturnType<typeof buffers>;

  constructor(weights: Weights, maxRows: number) {
    this.#weights = weights;
    this.#arena = weights.arena;
    this.maxRows = maxRows;
    this.#b = buffers(weights.arena, weights, maxRows);
  }

  /** Truncates a slot to `length` tokens; slots are created on first use. */
  truncate(slot: number, length: number): void {
    while (this.#slots.length <= slot) this.#slots.push(this.#newSlot());
    const entry = this.#slots[slot];
    if (entry !== undefined) entry.length = length;
  }

  #newSlot(): Slot {
    const { maxContext, hiddenSize, layers } = this.#weights.arch;
    const cache = (): number[] =>
      Array.from({ length: layers }, () => this.#arena.alloc(maxContext * hiddenSize + STAGGER));
    return { keys: cache(), values: cache(), length: 0 };
  }

  /**
   * Appends the inputs' tokens to their slots and returns log-probs [sum of wanted, vocabulary] over the next token, row by
   * row in input order. The view is valid until the next call. A row's result does not depend on the rest of the batch.
   */
  step(merged: LoraWeights, inputs: readonly DecodeInput[]): Float32Array {
    const weights = this.#weights;
    const { arch, layout } = weights;
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const { rows, lengths, slots, wanted } = this.#load(inputs);
    const d = arch.hiddenSize;
    const ff = arch.feedForwardSize;
    kernels.gatherRows(weights.pointer(layout.embedding), b.ids, b.x, rows, d);
    for (const [index, spans] of layout.layers.entries()) {
      const linear = (projection: Projection, x: number, y: number, accumulate = 0): void =>
        merged.project(index, projection, x, y, rows, accumulate);
      weights.normalize(spans.inputNorm, b.x, b.h, b.rstd, rows);
      linear("q", b.h, b.q);
      linear("k", b.h, b.k);
      linear("v", b.h, b.v);
      this.#attend(index, slots, lengths);
      linear("o", b.attended, b.x, 1);
      weights.normalize(spans.postNorm, b.x, b.h, b.rstd, rows);
      linear("gate", b.h, b.gate);
      linear("up", b.h, b.up);
      kernels.swiglu(b.gate, b.up, b.gate, rows * ff);
      linear("down", b.gate, b.x, 1);
    }
    const m = wanted.length;
    const v = arch.vocabSize;
    this.#arena.ints(b.index, m).set(wanted);
    kernels.gatherRows(b.x, b.index, b.q, m, d);
    weights.normalize(layout.finalNorm, b.q, b.h, b.rstd, m);
    kernels.matmul(b.h, d, weights.embeddingForward, d, b.logits, v, m, v, d, 1, 0);
    kernels.logSoftmax(b.logits, m, v);
    return this.#arena.floats(b.logits, m * v);
  }

  #load(inputs: readonly DecodeInput[]) {
    let rows = 0;
    for (const input of inputs) rows += input.tokens.length;
    if (rows > this.maxRows) {
      throw new AppError("engine-rows", `A decoding step of ${rows} rows exceeds ${this.maxRows}.`);
    }
    const ids = this.#arena.ints(this.#b.ids, rows);
    const positions = this.#arena.ints(this.#b.positions, rows);
    const lengths = new Int32Array(rows);
    const slots: Slot[] = [];
    const wanted: number[] = [];
    let row = 0;
    for (const input of inputs) {
      const slot = this.#slots[input.slot];
      if (slot === undefined) throw new AppError("engine-slot", `Slot ${input.slot} is not open.`);
      ids.set(input.tokens, row);
      const end = row + input.tokens.length;
      for (let w = end - input.wanted; w < end; w++) wanted.push(w);
      for (; row < end; row++) {
        positions[row] = slot.length;
        slot.length++;
        lengths[row] = slot.length;
        slots.push(slot);
      }
    }
    return { rows, lengths, slots, wanted };
  }

  /** Rotates and caches the keys of all rows, then lets each row attend to its slot up to its own position. */
  #attend(layer: number, slots: readonly Slot[], lengths: Int32Array): void {
    const { arch } = this.#weights;
    const kernels = this.#arena.kernels;
    const b = this.#b;
    const rows = slots.length;
    const d = arch.hiddenSize;
    const headSize = d / arch.heads;
    this.#weights.rotate(b.q, b.positions, rows, 1);
    this.#weights.rotate(b.k, b.positions, rows, 1);
    const rowBytes = d * 4;
    const { heads, maxContext } = arch;
    for (const [row, slot] of slots.entries()) {
      const position = (lengths[row] ?? 1) - 1;
      const [keys, values] = [slot.keys[layer] ?? 0, slot.values[layer] ?? 0];
      kernels.cacheRow(b.k + row * rowBytes, keys, position, maxContext, heads, headSize);
      kernels.cacheRow(b.v + row * rowBytes, values, position, maxContext, heads, headSize);
    }
    const scale = 1 / Math.sqrt(headSize);
    for (const [row, slot] of slots.entries()) {
      const [keys, values] = [slot.keys[layer] ?? 0, slot.values[layer] ?? 0];
      const [q, out] = [b.q + row * rowBytes, b.attended + row * rowBytes];
      const [size, n] = [maxContext, lengths[row] ?? 0];
      kernels.attendRow(q, keys, values, size, n, heads, headSize, scale, out, b.scratch);
    }
  }
}

function buffers(arena: Arena, weights: Weights, rows: number) {
  const { hiddenSize: d, feedForwardSize: ff, vocabSize: v, maxContext } = weights.arch;
  return {
    ids: arena.alloc(rows),
    positions: arena.alloc(rows),
    index: arena.alloc(rows),
    x: arena.alloc(rows * d),
    h: arena.alloc(rows * d),
    rstd: arena.alloc(rows),
    q: arena.alloc(rows * d),
    k: arena.alloc(rows * d),
    v: arena.alloc(rows * d),
    attended: arena.alloc(rows * d),
    gate: arena.alloc(rows * ff),
    up: arena.alloc(rows * ff),
    logits: arena.alloc(rows * roundUp(v, 8)),
    scratch: arena.alloc(maxContext + 8),
  };
}
