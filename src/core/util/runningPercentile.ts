/**
 * A percentile of more numbers than can be stored or sorted. Numbers are counted by the upper half of their bits, whose order
 * matches that of the numbers; a second pass then counts the deciding ones by the lower half.
 */

import { betweenRanks } from "./stats.ts";

const HALF_BITS = 16;
const HALVES = 2 ** HALF_BITS;
const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

/** Like `percentile` of `stats.ts`, for non-negative numbers in single precision. */
export class RunningPercentile {
  readonly #upper = new Uint32Array(HALVES);
  #count = 0;

  add(value: number): void {
    const high = bitsOf(value) >>> HALF_BITS;
    this.#upper[high] = (this.#upper[high] ?? 0) + 1;
    this.#count += 1;
  }

  /** `each` visits all added values again, in any order. */
  at(share: number, each: (take: (value: number) => void) => void): number | null {
    const lowers = new Map<number, Uint32Array>();
    return betweenRanks(this.#count, share, (rank) => {
      const [high, among] = locate(this.#upper, rank);
      const lower = lowers.get(high) ?? countLower(high, each);
      lowers.set(high, lower);
      const [low] = locate(lower, among);
      return numberOf(high * HALVES + low);
    });
  }
}

function countLower(high: number, each: (take: (value: number) => void) => void): Uint32Array {
  const counts = new Uint32Array(HALVES);
  each((value) => {
    const bits = bitsOf(value);
    const low = bits % HALVES;
    if (bits >>> HALF_BITS === high) counts[low] = (counts[low] ?? 0) + 1;
  });
  return counts;
}

function bitsOf(value: number): number {
  single[0] = value;
  return singleBits[0] ?? 0;
}

function numberOf(bits: number): number {
  singleBits[0] = bits;
  return single[0] ?? 0;
}

/** The entry that contains this rank, in ascending order, and the rank within that entry. */
function locate(counts: Uint32Array, rank: number): readonly [number, number] {
  let left = rank;
  let at = 0;
  for (; left >= (counts[at] ?? Number.POSITIVE_INFINITY); at += 1) left -= counts[at] ?? 0;
  return [at, left];
}
