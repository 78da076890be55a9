/** Base weights in a worker's memory, and packed weight sets with an adapter merged in. */

import { power } from "../../core/util/power.ts";
import {
  type AdapterLayout,
  type Architecture,
  type BaseLayout,
  baseLayout,
  LORA_SCALE,
  PROJECTIONS,
  type Projection,
  projectionShape,
  roundUp,
  spanLength,
  type TensorSpan,
} from "./architecture.ts";
import type { Arena } from "./arena.ts";

/** Packed panels of one projection: `forward` for x·W, `backward` for dy·transpose(W) (0 if not kept). */
interface PackedProjection {
  readonly forward: number;
  readonly backward: number;
}

export type WeightSet = readonly Readonly<Record<Projection, PackedProjection>>[];

export class Weights {
  readonly arch: Architecture;
  readonly layout: BaseLayout;
  readonly arena: Arena;
  /** Pointer to the flat base array. */
  readonly base: number;
  readonly embeddingForward: number;
  readonly embeddingBackward: number;
  readonly #rope: { readonly cos: number; readonly sin: number };
  readonly #merged: number;
  readonly #packedB: number;

  constructor(arena: Arena, arch: Architecture, base: Float32Array, maxRank: number) {
    this.arena = arena;
    this.arch = arch;
    this.layout = baseLayout(arch);
    this.base = arena.alloc(this.layout.length);
    const widest = Math.max(arch.hiddenSize, arch.feedForwardSize);
    this.#merged = arena.alloc(arch.hiddenSize * arch.feedForwardSize);
    this.#packedB = arena.alloc(maxRank * roundUp(widest, 8));
    this.embeddingForward = arena.alloc(arch.hiddenSize * roundUp(arch.vocabSize, 8));
    this.embeddingBackward = arena.alloc(arch.vocabSize * roundUp(arch.hiddenSize, 8));
    this.#rope = ropeTables(arena, arch);
    this.setBase(base);
  }

  /** Replaces the base weights; packed weight sets keep the old ones until merged again. */
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

  /** y (+)= x·W' for `n` rows. */
  project(
    set: WeightSet,
    layer: number,
    projection: Projection,
    x: number,
    y: number,
    n: number,
    accumulate = 0,
  ): void {
    const [input, output] = projectionShape(this.arch, projection);
    const packed = set[layer]?.[projection];
    if (packed === undefined) return;
    const { matmul } = this.arena.kernels;
    matmul(x, input, packed.forward, input, y, output, n, output, input, 1, accumulate);
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

  /** Reserves memory for one merged set. */
  allocateSet(withBackward: boolean): WeightSet {
    return Array.from({ length: this.arch.layers }, () => {
      const entries = PROJECTIONS.map((projection) => {
        const [input, output] = projectionShape(this.arch, projection);
        const forward = this.arena.alloc(input * roundUp(output, 8));
        const backward = withBackward ? this.arena.alloc(output * roundUp(input, 8)) : 0;
        return [projection, { forward, backward }] as const;
      });
      return Object.fromEntries(entries) as Record<Projection, PackedProjection>;
    });
  }

  /** Fills a set with W + scale·A·B (W alone without an adapter), packed for the matmul kernel. */
  merge(
    set: WeightSet,
    adapter: { readonly layout: AdapterLayout; readonly pointer: number } | null,
  ): void {
    for (const [layer, projections] of set.entries()) {
      for (const projection of PROJECTIONS) {
        this.#mergeOne(layer, projection, projections[projection], adapter);
      }
    }
  }

  #mergeOne(
    layer: number,
    projection: Projection,
    packed: PackedProjection,
    adapter: { readonly layout: AdapterLayout; readonly pointer: number } | null,
  ): void {
    const { arena } = this;
    const kernels = arena.kernels;
    const span = this.layout.layers[layer]?.projections[projection];
    if (span === undefined) return;
    const { rows: input, columns: output } = span;
    let matrix = this.pointer(span);
    const lora = adapter?.layout.layers[layer]?.[projection];
    if (adapter !== null && lora !== undefined) {
      const r = adapter.layout.paddedRank;
      arena.copy(this.#merged, matrix, spanLength(span));
      matrix = this.#merged;
      const a = adapter.pointer + lora.a.offset * 4;
      const b = adapter.pointer + lora.b.offset * 4;
      kernels.pack(b, output, r, output, this.#packedB);
      kernels.matmul(a, r, this.#packedB, r, matrix, output, input, output, r, LORA_SCALE, 1);
    }
    kernels.pack(matrix, output, input, output, packed.forward);
    if (packed.backward !== 0) {
      kernels.packTransposed(matrix, output, output, input, packed.backward);
    }
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
