/** Weights with gradient and AdamW state, for the fake engine. */

import type { AdamParams } from "../../src/core/tinker/wire/wire.ts";

export interface FakeAdamState {
  readonly weights: readonly number[];
  readonly mean?: readonly number[];
  readonly square?: readonly number[];
  readonly steps?: number;
}

export class FakeAdamTable {
  weights: Float64Array;
  #gradient: Float64Array;
  #mean: Float64Array;
  #square: Float64Array;
  #steps = 0;

  constructor(size: number) {
    this.weights = new Float64Array(size);
    this.#gradient = new Float64Array(size);
    this.#mean = new Float64Array(size);
    this.#square = new Float64Array(size);
  }

  addGradient(index: number, value: number): void {
    this.#gradient[index] = (this.#gradient[index] ?? 0) + value;
  }

  /** Applies and clears the gradient; returns its norm before clipping. */
  step(params: AdamParams): number {
    this.#steps += 1;
    const norm = Math.hypot(...this.#gradient);
    const limit = params.grad_clip_norm;
    const scale = limit > 0 && norm > limit ? limit / norm : 1;
    this.weights = this.weights.map((weight, i) => this.#stepped(weight, i, scale, params));
    this.#gradient.fill(0);
    return norm;
  }

  state(): FakeAdamState {
    return {
      weights: [...this.weights],
      mean: [...this.#mean],
      square: [...this.#square],
      steps: this.#steps,
    };
  }

  restore({ weights, mean, square, steps }: FakeAdamState): void {
    this.weights = Float64Array.from(weights);
    if (mean) this.#mean = Float64Array.from(mean);
    if (square) this.#square = Float64Array.from(square);
    this.#steps = steps ?? 0;
  }

  #stepped(weight: number, i: number, scale: number, params: AdamParams): number {
    const { learning_rate, beta1, beta2, eps, weight_decay } = params;
    const gradient = (this.#gradient[i] ?? 0) * scale;
    const mean = beta1 * (this.#mean[i] ?? 0) + (1 - beta1) * gradient;
    const square = beta2 * (this.#square[i] ?? 0) + (1 - beta2) * gradient ** 2;
    this.#mean[i] = mean;
    this.#square[i] = square;
    const direction =
      mean / (1 - beta1 ** this.#steps) / (Math.sqrt(square / (1 - beta2 ** this.#steps)) + eps);
    return weight * (1 - learning_rate * weight_decay) - learning_rate * direction;
  }
}
