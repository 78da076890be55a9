/** Seeds for the sequences of a request. */

const GOLDEN_GAMMA = 0x9e3779b9;

/**
 * The 32-bit seed of sequence `index`: deterministic, and unrelated for adjacent inputs (finalizer of MurmurHash3). `seed` may be any
 * finite number; integers beyond 32 bits are fully used.
 */
export function sequenceSeed(seed: number, index: number): number {
  const high = Math.floor(seed / 2 ** 32);
  const mixed = mix(mix(high >>> 0) ^ (seed >>> 0));
  return mix((mixed + Math.imul(index + 1, GOLDEN_GAMMA)) >>> 0);
}

function mix(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
