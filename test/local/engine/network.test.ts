import { describe, expect, it } from "vitest";
import {
  baseLayout,
  PROJECTIONS,
  spanLength,
  type TensorSpan,
} from "../../../src/local/engine/architecture.ts";
import { Network } from "../../../src/local/engine/network.ts";
import { createUniform } from "../../../src/shared/uniform.ts";
import {
  RANK_8,
  randomAdapter,
  randomBase,
  randomSequences,
  SMALL,
  smallWeights,
} from "./testModel.ts";

const LENGTHS = [13, 33, 1, 21];
const ROWS = 128;
/** Largest relative difference between a derivative and its finite difference. */
const LIMIT = 1e-3;

function coefficients(count: number): Float32Array {
  const uniform = createUniform(9);
  return Float32Array.from({ length: count }, () => uniform() - 0.5);
}

/** Five-point difference of `value` along the gradient of one tensor, against the gradient's own norm. */
function directionalError(
  parameters: Float32Array,
  gradient: Float32Array,
  span: TensorSpan,
  value: (parameters: Float32Array) => number,
): number {
  const own = gradient.subarray(span.offset, span.offset + spanLength(span));
  const norm = Math.sqrt(own.reduce((sum, g) => sum + g * g, 0));
  const step = Math.min(1e-2, 0.15 / norm);
  const moved = (sign: number): number => {
    const copy = parameters.slice();
    for (let i = 0; i < own.length; i++) {
      copy[span.offset + i] = (copy[span.offset + i] ?? 0) + (sign * step * (own[i] ?? 0)) / norm;
    }
    return value(copy);
  };
  const slope = (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * step);
  return Math.abs(slope - norm) / norm;
}

function weighted(logprobs: Float32Array, weights: Float32Array): number {
  return logprobs.reduce((sum, logprob, i) => sum + logprob * (weights[i] ?? 0), 0);
}

describe("the backward pass", () => {
  it("gives every LoRA tensor the gradient from finite differences", async () => {
    const network = new Network(await smallWeights(), { kind: "lora", largest: RANK_8 }, ROWS);
    const sequences = randomSequences(SMALL, LENGTHS, 3);
    const parameters = randomAdapter(RANK_8, 2);
    network.linear.setAdapter(RANK_8, parameters);
    const c = coefficients(network.forward(sequences).length);
    network.linear.clearGradient();
    network.backward(c);
    const gradient = network.linear.gradient();
    const value = (moved: Float32Array): number => {
      network.linear.setAdapter(RANK_8, moved);
      return weighted(network.forward(sequences), c);
    };
    for (const layer of RANK_8.layers) {
      for (const projection of PROJECTIONS) {
        for (const span of [layer[projection].a, layer[projection].b]) {
          expect(directionalError(parameters, gradient, span, value), span.name).toBeLessThan(
            LIMIT,
          );
        }
      }
    }
  });

  it("gives every base tensor the gradient from finite differences", async () => {
    const network = new Network(await smallWeights(), { kind: "full" }, ROWS);
    const sequences = randomSequences(SMALL, LENGTHS, 4);
    const parameters = randomBase(SMALL, 1);
    const c = coefficients(network.forward(sequences).length);
    network.linear.clearGradient();
    network.backward(c);
    const gradient = network.linear.gradient();
    const value = (moved: Float32Array): number => {
      network.linear.setBase(moved);
      return weighted(network.forward(sequences), c);
    };
    for (const span of baseLayout(SMALL).all) {
      expect(directionalError(parameters, gradient, span, value), span.name).toBeLessThan(LIMIT);
    }
  });
});
