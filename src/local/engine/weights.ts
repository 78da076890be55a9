/** Base weights in a worker's memory. */

import { power } from "../../core/util/power.ts";
import {
  type Architecture,
  type BaseLayout,
  baseLayout,
  roundUp,
  type TensorSpan,
} from "./architecture.ts";
import type { Arena } from "./arena.ts";

export class Weights {
  readonly arch: Architecture;
  readonly layout: BaseLayout;
  readonly arena: Arena;
  /** Pointer to the flat base array. */
  readonly base: number;
  readonly embeddingForward: number;
  readonly embeddingBackward: number;
  readonly #rope: { readonly cos: number; readonly sin: number };
  /** Scratch memory for merging an adapter: one projection, and one packed B. */
  readonly merging: { readonly matrix: number; readonly packedB: number };

  constructor(arena: Arena, arch: Architecture, base: Float32Array, maxRank: number) {
    this.arena = arena;
    this.arch = arch;
    this.layout = baseLayout(arch);
    this.base = arena.alloc(this.layout.length);
    const widest = Math.max(arch.hiddenSize, arch.feedForwardSize);
    const matrix = arena.alloc(arch.hiddenSize * arch.feedForwardSize);
    this.merging = { matrix, packedB: arena.alloc(maxRank * roundUp(widest, 8)) };
    this.embeddingForward = arena.alloc(arch.hiddenSize * roundUp(arch.vocabSize, 8));
    this.embeddingBackward = arena.alloc(arch.vocabSize * roundUp(arch.hiddenSize, 8));
    this.#rope = ropeTables(arena, arch);
    this.setBase(base);
  }

  /** Replaces the base weights; `LoraWeights` keep the old ones until merged again. */
  setBase(base: Float32Array): void {
    const { arena, arch } = this;
    arena.floats(this.base, this.layout.length).set(base);
    const embedding = this.pointer(this.layout.embedding);
    const { hiddenSize: d, vocabSize: v } = arch;
    arena.kernels.packTransposed(embedding, d, d, v, this.embeddingForward);
    arena.kernels.pack(embedding, d, v, d, this.embeddingBackward);
  }

  pointer(span: TensorSpan): number {
    return this.base + span.offset * 4;
  }

  /** RMS-normalizes `n` rows of x into y and stores the reciprocal root in `rstd`. */
  normalize(gain: TensorSpan, x: number, y: number, rstd: number, n: number): void {
    const { hiddenSize, normEps } = this.arch;
    this.arena.kernels.rmsNorm(x, this.pointer(gain), y, rstd, n, hiddenSize, normEps);
  }

  /** Rotates `n` rows of queries or keys by their positions; direction -1 reverses it. */
  rotate(x: number, positions: number, n: number, direction: 1 | -1): void {
    const { hiddenSize: d, heads } = this.arch;
    const { cos, sin } = this.#rope;
    this.arena.kernels.rope(x, d, positions, cos, sin, n, heads, d / heads, direction);
  }
}

/** Cosine and sine tables by position, each [context, head size / 2]. */
function ropeTables(
  arena: Arena,
  arch: Architecture,
): { readonly cos: number; readonly sin: number } {
  const headSize = arch.hiddenSize / arch.heads;
  const half = headSize / 2;
  const cos = arena.alloc(arch.maxContext * half);
  const sin = arena.alloc(arch.maxContext * half);
  const cosines = arena.floats(cos, arch.maxContext * half);
  const sines = arena.floats(sin, arch.maxContext * half);
  for (let position = 0; position < arch.maxContext; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * power(arch.ropeTheta, (-2 * i) / headSize);
      cosines[position * half + i] = Math.cos(angle);
      sines[position * half + i] = Math.sin(angle);
    }
  }
  return { cos, sin };
}
