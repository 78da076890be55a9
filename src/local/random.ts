/** Seeded random numbers for the engine and its environments: small, fast, and identical on every machine. */

import { createUniform } from "../shared/uniform.ts";

/** Standard normal numbers by the Box-Muller transform. */
export function createNormal(seed: number): () => number {
  const uniform = createUniform(seed);
  return () => {
    const u = 1 - uniform();
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * uniform());
  };
}

/** A uniform integer between `low` and `high`, inclusive. */
export function integerBetween(uniform: () => number, low: number, high: number): number {
  return low + Math.floor(uniform() * (high - low + 1));
}
