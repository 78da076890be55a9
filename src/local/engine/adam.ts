/** AdamW with bias correction, decoupled weight decay, and clipping by global gradient norm. */

import type { AdamParams } from "../../core/tinker/wire/wire.ts";
import { power } from "../../core/util/power.ts";

export interface OptimizerState {
  /** First and second moments, in the same layout as the parameters. */
  readonly m: Float32Array;
  readonly v: Float32Array;
  /** Number of steps taken. */
  steps: number;
}

export function newOptimizerState(length: number): OptimizerState {
  return { m: new Float32Array(length), v: new Float32Array(length), steps: 0 };
}

/** Updates `parameters` and `state` in place; returns the gradient's global norm before clipping. */
export function adamStep(
  parameters: Float32Array,
  gradient: Float32Array,
  state: OptimizerState,
  params: AdamParams,
): number {
  let sumOfSquares = 0;
  for (const g of gradient) sumOfSquares += g * g;
  const norm = Math.sqrt(sumOfSquares);
  const clip = params.grad_clip_norm;
  const scale = clip > 0 && norm > clip ? clip / norm : 1;
  const { learning_rate: lr, beta1, beta2, eps, weight_decay: decay } = params;
  state.steps += 1;
  const correction1 = 1 - power(beta1, state.steps);
  const correction2 = 1 - power(beta2, state.steps);
  const { m, v } = state;
  for (let i = 0; i < parameters.length; i++) {
    const g = (gradient[i] ?? 0) * scale;
    const first = beta1 * (m[i] ?? 0) + (1 - beta1) * g;
    const second = beta2 * (v[i] ?? 0) + (1 - beta2) * g * g;
    m[i] = first;
    v[i] = second;
    const update = first / correction1 / (Math.sqrt(second / correction2) + eps);
    const p = parameters[i] ?? 0;
    parameters[i] = p - lr * (decay * p + update);
  }
  return norm;
}
