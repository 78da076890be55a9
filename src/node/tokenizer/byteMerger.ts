/** Byte-pair encoding of one piece of text: neighbors merge, those of the lowest rank first, the leftmost of equals. */

import { findMerge, type MergeTable, mergedAt, rankAt } from "./mergeTable.ts";
import { NumberHeap } from "./numberHeap.ts";

const NONE = -1;
/** Ranks times this, plus a position, order as (rank, position) and stay exact, because ranks are below 2 ** 21. */
const POSITIONS = 2 ** 32;
/** Most pieces are shorter, and use the same memory one after the other. */
const KEPT_LENGTH = 256;

/** Merges the bytes of one piece after the other. */
export class ByteMerger {
  readonly #byteIds: Int32Array;
  readonly #merges: MergeTable;
  readonly #kept = new Chain(KEPT_LENGTH);

  /** `byteIds`: the token of each of the 256 bytes. */
  constructor(byteIds: Int32Array, merges: MergeTable) {
    this.#byteIds = byteIds;
    this.#merges = merges;
  }

  /** Ids of the piece. Takes time n log n in the number of bytes, whatever they are. */
  merge(bytes: Uint8Array): readonly number[] {
    const chain = bytes.length <= KEPT_LENGTH ? this.#kept : new Chain(bytes.length);
    chain.fill(bytes, this.#byteIds);
    for (let at = 0; at < bytes.length; at += 1) this.#consider(chain, at);
    const { queue, pending, previous } = chain;
    for (let top = queue.pop(); top !== Number.POSITIVE_INFINITY; top = queue.pop()) {
      const rank = Math.floor(top / POSITIONS);
      const at = top - rank * POSITIONS;
      const merge = pending[at] ?? NONE;
      // Since this was queued, another merge may have taken one of the two.
      if (merge === NONE || rankAt(this.#merges, merge) !== rank) continue;
      chain.mergeNext(at, mergedAt(this.#merges, merge));
      this.#consider(chain, at);
      const before = previous[at] ?? NONE;
      if (before !== NONE) this.#consider(chain, before);
    }
    return chain.toIds(bytes.length);
  }

  /** Queues the merge of the token at a byte with its right neighbor, if they do merge. */
  #consider({ ids, next, pending, queue }: Chain, at: number): void {
    const right = next[at] ?? NONE;
    const merge =
      right === NONE ? NONE : findMerge(this.#merges, ids[at] ?? NONE, ids[right] ?? NONE);
    pending[at] = merge;
    if (merge !== NONE) queue.push(rankAt(this.#merges, merge) * POSITIONS + at);
  }
}

/** A linked list over bytes: the token that begins at a byte, where the ones beside it begin, and what waits to be merged. */
class Chain {
  readonly ids: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** The merge of each token with its right neighbor, as its index in the table. */
  readonly pending: Int32Array;
  readonly queue: NumberHeap;

  constructor(length: number) {
    this.ids = new Int32Array(length);
    this.next = new Int32Array(length);
    this.previous = new Int32Array(length);
    this.pending = new Int32Array(length);
    // One entry for every pair of bytes, and two for every merge, of which there are fewer than bytes.
    this.queue = new NumberHeap(3 * length);
  }

  /** Every byte becomes a token. */
  fill(bytes: Uint8Array, byteIds: Int32Array): void {
    const { length } = bytes;
    for (let at = 0; at < length; at += 1) {
      this.ids[at] = byteIds[bytes[at] ?? 0] ?? NONE;
      this.next[at] = at + 1 < length ? at + 1 : NONE;
      this.previous[at] = at - 1;
    }
  }

  /** The token at a byte becomes `merged`, and its right neighbor part of it. */
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
