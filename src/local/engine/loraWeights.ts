/**
 * The weights that a forward pass multiplies with: W' = W + s·A·B for every projection (LoRA, Hu et al. 2021, arXiv:2106.09685), or W
 * without an adapter. Merging once costs less than two more products for every token.
 */

import {
  type AdapterLayout,
  LORA_SCALE,
  PROJECTIONS,
  type Projection,
  projectionShape,
  roundUp,
  spanLength,
} from "./architecture.ts";
import type { Weights } from "./weights.ts";

/** An adapter's flat parameters in the arena. */
export interface PlacedAdapter {
  readonly layout: AdapterLayout;
  readonly pointer: number;
}

/** Packed panels of one projection: `forward` for x·W', `backward` for dy·transpose(W') (0 if not kept). */
interface PackedProjection {
  readonly forward: number;
  readonly backward: number;
}

export class LoraWeights {
  readonly #weights: Weights;
  readonly #layers: readonly Readonly<Record<Projection, PackedProjection>>[];

  /** Reserves memory, with `keepsBackward` also for `projectBack`. Nothing is merged yet. */
  constructor(weights: Weights, keepsBackward: boolean) {
    const { arch, arena } = weights;
    this.#weights = weights;
    this.#layers = Array.from({ length: arch.layers }, () => {
      const entries = PROJECTIONS.map((projection) => {
        const [input, output] = projectionShape(arch, projection);
        const forward = arena.alloc(input * roundUp(output, 8));
        const backward = keepsBackward ? arena.alloc(output * roundUp(input, 8)) : 0;
        return [projection, { forward, backward }] as const;
      });
      return Object.fromEntries(entries) as Record<Projection, PackedProjection>;
    });
  }

  /** Takes the current base weights, with the adapter merged in. */
  merge(adapter: PlacedAdapter | null): void {
    for (const [layer, projections] of this.#layers.entries()) {
      for (const projection of PROJECTIONS) {
        this.#mergeOne(layer, projection, projections[projection], adapter);
      }
    }
  }

  /** y (+)= x·W' for `n` rows. */
  project(
    layer: number,
    projection: Projection,
    x: number,
    y: number,
    n: number,
    accumulate = 0,
  ): void {
    const [input, output] = projectionShape(this.#weights.arch, projection);
    const packed = this.#layers[layer]?.[projection];
    if (packed === undefined) return;
    const { matmul } = this.#weights.arena.kernels;
    matmul(x, input, packed.forward, input, y, output, n, output, input, 1, accumulate);
  }

  /** dx (+)= dy·transpose(W') for `n` rows. */
  projectBack(
    layer: number,
    projection: Projection,
    dy: number,
    dx: number,
    n: number,
    accumulate: number,
  ): void {
    const [input, output] = projectionShape(this.#weights.arch, projection);
    const packed = this.#layers[layer]?.[projection];
    if (packed === undefined) return;
    const { matmul } = this.#weights.arena.kernels;
    matmul(dy, output, packed.backward, output, dx, input, n, input, output, 1, accumulate);
  }

  #mergeOne(
    layer: number,
    projection: Projection,
    packed: PackedProjection,
    adapter: PlacedAdapter | null,
  ): void {
    const { arena, layout, merging } = this.#weights;
    const kernels = arena.kernels;
    const span = layout.layers[layer]?.projections[projection];
    if (span === undefined) return;
    const { rows: input, columns: output } = span;
    let matrix = this.#weights.pointer(span);
    const lora = adapter?.layout.layers[layer]?.[projection];
    if (adapter !== null && lora !== undefined) {
      const r = adapter.layout.paddedRank;
      arena.copy(merging.matrix, matrix, spanLength(span));
      matrix = merging.matrix;
      const a = adapter.pointer + lora.a.offset * 4;
      const b = adapter.pointer + lora.b.offset * 4;
      kernels.pack(b, output, r, output, merging.packedB);
      kernels.matmul(a, r, merging.packedB, r, matrix, output, input, output, r, LORA_SCALE, 1);
    }
    kernels.pack(matrix, output, input, output, packed.forward);
    if (packed.backward !== 0) {
      kernels.packTransposed(matrix, output, output, input, packed.backward);
    }
  }
}
