/** Seeded random numbers of the engine and its environments: small, fast, the same on every machine. */

/** Uniform numbers in [0, 1) from a 32-bit seed (the mulberry32 generator, public domain). */
export function createUniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Standard normal numbers by the Box-Muller transform. */
export function createNormal(seed: number): () => number {
  const uniform = createUniform(seed);
  return () => {
    const u = 1 - uniform();
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * uniform());
  };
}

/** A uniform integer between `low` and `high`, both included. */
export function integerBetween(uniform: () => number, low: number, high: number): number {
  return low + Math.floor(uniform() * (high - low + 1));
}
