/** Byte-pair encoding of one piece of text: repeatedly merges the neighbors with the lowest rank, leftmost first. */

import { findMerge, type MergeTable, mergedAt, rankAt } from "./mergeTable.ts";
import { NumberHeap } from "./numberHeap.ts";

const NONE = -1;
/** Rank times this, plus the position, sorts by (rank, position) and stays exact, because ranks are below 2 ** 21. */
const POSITIONS = 2 ** 32;
/** Most pieces are shorter, and reuse the same buffers. */
const KEPT_LENGTH = 256;

/** Merges the bytes of pieces, one piece at a time. */
export class ByteMerger {
  readonly #byteIds: Int32Array;
  readonly #merges: MergeTable;
  readonly #kept = new Chain(KEPT_LENGTH);

  /** `byteIds`: the token id of each of the 256 bytes. */
  constructor(byteIds: Int32Array, merges: MergeTable) {
    this.#byteIds = byteIds;
    this.#merges = merges;
  }

  /** Token ids of the piece. Takes O(n log n) time in the number of bytes, for any input. */
  merge(bytes: Uint8Array): readonly number[] {
    const chain = bytes.length <= KEPT_LENGTH ? this.#kept : new Chain(bytes.length);
    chain.fill(bytes, this.#byteIds);
    for (let at = 0; at < bytes.length; at += 1) this.#consider(chain, at);
    const { queue, pending, previous } = chain;
    for (let top = queue.pop(); top !== Number.POSITIVE_INFINITY; top = queue.pop()) {
      const rank = Math.floor(top / POSITIONS);
      const at = top - rank * POSITIONS;
      const merge = pending[at] ?? NONE;
      // Another merge may have consumed one of the two tokens since this was queued.
      if (merge === NONE || rankAt(this.#merges, merge) !== rank) continue;
      chain.mergeNext(at, mergedAt(this.#merges, merge));
      this.#consider(chain, at);
      const before = previous[at] ?? NONE;
      if (before !== NONE) this.#consider(chain, before);
    }
    return chain.toIds(bytes.length);
  }

  /** Queues the merge of the token at `at` with its right neighbor, if there is one. */
  #consider({ ids, next, pending, queue }: Chain, at: number): void {
    const right = next[at] ?? NONE;
    const merge =
      right === NONE ? NONE : findMerge(this.#merges, ids[at] ?? NONE, ids[right] ?? NONE);
    pending[at] = merge;
    if (merge !== NONE) queue.push(rankAt(this.#merges, merge) * POSITIONS + at);
  }
}

/** A linked list over byte positions: the token that starts at each position, its neighbors' positions, and pending merges. */
class Chain {
  readonly ids: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** Each token's merge with its right neighbor, as an index into the table. */
  readonly pending: Int32Array;
  readonly queue: NumberHeap;

  constructor(length: number) {
    this.ids = new Int32Array(length);
    this.next = new Int32Array(length);
    this.previous = new Int32Array(length);
    this.pending = new Int32Array(length);
    // One entry per pair of bytes, and two per merge, of which there are fewer than bytes.
    this.queue = new NumberHeap(3 * length);
  }

  /** Initializes with one token per byte. */
  fill(bytes: Uint8Array, byteIds: Int32Array): void {
    const { length } = bytes;
    for (let at = 0; at < length; at += 1) {
      this.ids[at] = byteIds[bytes[at] ?? 0] ?? NONE;
      this.next[at] = at + 1 < length ? at + 1 : NONE;
      this.previous[at] = at - 1;
    }
  }

  /** Replaces the token at `at` by `merged`, which absorbs its right neighbor. */
  mergeNext(at: number, merged: number): void {
    const { ids, next, previous, pending } = this;
    const right = next[at] ?? NONE;
    const after = next[right] ?? NONE;
    ids[at] = merged;
    pending[right] = NONE;
    next[at] = after;
    if (after !== NONE) previous[after] = at;
  }

  toIds(length: number): readonly number[] {
    const ids: number[] = [];
    for (let at = length > 0 ? 0 : NONE; at !== NONE; at = this.next[at] ?? NONE) {
      ids.push(this.ids[at] ?? NONE);
    }
    return ids;
  }
}
