/** A small random model in WebAssembly memory, for tests of the arithmetic. */

import { fileURLToPath } from "node:url";
import {
  type AdapterLayout,
  type Architecture,
  adapterLayout,
  baseLayout,
} from "../../../src/local/engine/architecture.ts";
import { Arena } from "../../../src/local/engine/arena.ts";
import type { NetworkSequence } from "../../../src/local/engine/network.ts";
import { Weights } from "../../../src/local/engine/weights.ts";
import { createNormal, integerBetween } from "../../../src/local/random.ts";
import { createUniform } from "../../../src/shared/uniform.ts";

export const KERNELS = fileURLToPath(
  new URL("../../../dist/trainer/kernels.wasm", import.meta.url),
);

export const SMALL: Architecture = {
  vocabSize: 40,
  hiddenSize: 32,
  layers: 2,
  heads: 2,
  feedForwardSize: 48,
  maxContext: 64,
  ropeTheta: 10_000,
  normEps: 1e-6,
};

export function randomBase(arch: Architecture, seed: number): Float32Array {
  const layout = baseLayout(arch);
  const normal = createNormal(seed);
  const base = new Float32Array(layout.length);
  for (const span of layout.all) {
    for (let i = 0; i < span.rows * span.columns; i++) {
      base[span.offset + i] =
        span.rows === 1 ? 1 + 0.1 * normal() : normal() / Math.sqrt(span.rows);
    }
  }
  return base;
}

/** Both factors are random, so that no gradient is zero by construction. */
export function randomAdapter(layout: AdapterLayout, seed: number): Float32Array {
  const normal = createNormal(seed);
  return Float32Array.from({ length: layout.length }, () => normal() * 0.1);
}

export async function smallWeights(arch = SMALL, seed = 1): Promise<Weights> {
  return new Weights(await Arena.load(KERNELS), arch, randomBase(arch, seed), 16);
}

export function randomSequences(
  arch: Architecture,
  lengths: readonly number[],
  seed: number,
): NetworkSequence[] {
  const uniform = createUniform(seed);
  const draw = (n: number): Int32Array =>
    Int32Array.from({ length: n }, () => integerBetween(uniform, 0, arch.vocabSize - 1));
  return lengths.map((length) => ({ tokens: draw(length), targets: draw(length) }));
}

export const RANK_8 = adapterLayout(SMALL, 8);
