import { describe, expect, it } from "vitest";
import type { AdamParams } from "../../../src/core/tinker/wire/wire.ts";
import { adamStep, newOptimizerState } from "../../../src/local/engine/adam.ts";
import { createNormal } from "../../../src/local/random.ts";
import { ADAM } from "./engineFixture.ts";

/** AdamW on one number, directly from its definition, in 64-bit floats. */
function scalarAdam(start: number, gradients: readonly number[], params: AdamParams): number {
  let [p, m, v] = [start, 0, 0];
  for (const [i, g] of gradients.entries()) {
    m = params.beta1 * m + (1 - params.beta1) * g;
    v = params.beta2 * v + (1 - params.beta2) * g * g;
    const mHat = m / (1 - params.beta1 ** (i + 1));
    const vHat = v / (1 - params.beta2 ** (i + 1));
    p = p - params.learning_rate * params.weight_decay * p;
    p -= (params.learning_rate * mHat) / (Math.sqrt(vHat) + params.eps);
  }
  return p;
}

describe("adamStep", () => {
  it("follows the scalar definition over many steps", () => {
    const normal = createNormal(5);
    const params = { ...ADAM, weight_decay: 0.1 };
    const starts = Array.from({ length: 4 }, normal);
    const steps = Array.from({ length: 20 }, () => Float32Array.from({ length: 4 }, normal));
    const parameters = Float32Array.from(starts);
    const state = newOptimizerState(4);
    for (const gradient of steps) adamStep(parameters, gradient, state, params);
    for (const [i, start] of starts.entries()) {
      const alone = scalarAdam(
        start,
        steps.map((gradient) => gradient[i] ?? 0),
        params,
      );
      expect(parameters[i]).toBeCloseTo(alone, 5);
    }
    expect(state.steps).toBe(20);
  });

  it("moves by the learning rate on the first step, whatever the gradient's size", () => {
    const parameters = Float32Array.of(1, 1, 1);
    adamStep(parameters, Float32Array.of(1e-3, -7, 0), newOptimizerState(3), ADAM);
    expect(parameters[0]).toBeCloseTo(0.99, 5);
    expect(parameters[1]).toBeCloseTo(1.01, 5);
    expect(parameters[2]).toBe(1);
  });

  it("decays weights independently of the gradient", () => {
    const parameters = Float32Array.of(2);
    const state = newOptimizerState(1);
    adamStep(parameters, Float32Array.of(0), state, { ...ADAM, weight_decay: 0.5 });
    expect(parameters[0]).toBeCloseTo(2 - 1e-2 * 0.5 * 2, 6);
    expect(state.m[0]).toBe(0);
    expect(state.v[0]).toBe(0);
  });

  it("returns the norm before clipping, and clips the gradient as a whole", () => {
    const clipped = newOptimizerState(2);
    const norm = adamStep(Float32Array.of(0, 0), Float32Array.of(3, 4), clipped, {
      ...ADAM,
      grad_clip_norm: 1,
    });
    expect(norm).toBe(5);
    const scaled = newOptimizerState(2);
    adamStep(Float32Array.of(0, 0), Float32Array.of(0.6, 0.8), scaled, ADAM);
    expect(clipped.m[0]).toBeCloseTo(scaled.m[0] ?? Number.NaN, 7);
    expect(clipped.v[1]).toBeCloseTo(scaled.v[1] ?? Number.NaN, 7);
  });

  it("leaves a gradient unchanged within the clip norm, or with clipping off", () => {
    const moments = [0, 5, 6].map((grad_clip_norm) => {
      const state = newOptimizerState(2);
      adamStep(Float32Array.of(0, 0), Float32Array.of(3, 4), state, { ...ADAM, grad_clip_norm });
      return Array.from(state.m);
    });
    expect(moments[1]).toEqual(moments[0]);
    expect(moments[2]).toEqual(moments[0]);
  });
});
