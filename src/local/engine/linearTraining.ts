/** Training of the linear layers: the gradient of the base weights, or of a LoRA adapter. */

import type { PassBuffers } from "./activations.ts";
import {
  type AdapterLayout,
  LORA_SCALE,
  type LoraSpans,
  type Projection,
  projectionShape,
} from "./architecture.ts";
import type { Arena } from "./arena.ts";
import { LoraWeights } from "./loraWeights.ts";
import type { Weights } from "./weights.ts";

/** Trains LoRA parameters, or every base weight (to create the base model). */
export type TrainTarget =
  | { readonly kind: "lora"; readonly largest: AdapterLayout }
  | { readonly kind: "full" };

type LoraBuffers = Pick<PassBuffers, "xa" | "packLora">;

export class LinearTraining {
  readonly #weights: Weights;
  readonly #arena: Arena;
  /** For the forward pass. */
  readonly merged: LoraWeights;
  readonly #target: TrainTarget;
  readonly #b: LoraBuffers;
  /** Flat parameters of the adapter (lora only) and the gradient. */
  readonly #adapter: number;
  readonly #gradient: number;
  #gradientLength: number;
  #layout: AdapterLayout | null = null;

  constructor(weights: Weights, target: TrainTarget, buffers: LoraBuffers) {
    this.#weights = weights;
    this.#arena = weights.arena;
    this.#target = target;
    this.#b = buffers;
    this.merged = new LoraWeights(weights, true);
    this.#gradientLength = target.kind === "lora" ? target.largest.length : weights.layout.length;
    this.#adapter = target.kind === "lora" ? this.#arena.alloc(target.largest.length) : 0;
    this.#gradient = this.#arena.alloc(this.#gradientLength);
    if (target.kind === "full") this.merged.merge(null);
  }

  /** Sets new base weights. Full training only. */
  setBase(parameters: Float32Array): void {
    this.#weights.setBase(parameters);
    this.merged.merge(null);
  }

  /** Sets an adapter's parameters; its rank may differ from the previous one's. */
  setAdapter(layout: AdapterLayout, parameters: Float32Array): void {
    this.#layout = layout;
    this.#gradientLength = layout.length;
    this.#arena.floats(this.#adapter, layout.length).set(parameters);
    this.merged.merge({ layout, pointer: this.#adapter });
  }

  clearGradient(): void {
    this.#arena.floats(this.#gradient, this.#gradientLength).fill(0);
  }

  /** A copy of the flat gradient accumulated since the last clear. */
  gradient(): Float32Array {
    return this.#arena.floats(this.#gradient, this.#gradientLength).slice();
  }

  /** Pointer into the gradient of the base weights; 0 if they are frozen. */
  baseGradient(offset: number): number {
    return this.#target.kind === "full" ? this.#gradient + offset * 4 : 0;
  }

  /** dx (+)= dy·transpose(W') unless `dx` is 0, plus the weight or LoRA gradient from x and dy. */
  backward(
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
    if (dx !== 0) this.merged.projectBack(layer, projection, dy, dx, n, accumulate);
    if (this.#target.kind === "full") {
      const span = this.#weights.layout.layers[layer]?.projections[projection];
      const gradient = this.baseGradient(span?.offset ?? 0);
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
