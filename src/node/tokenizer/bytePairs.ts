/** Byte-pair encoding of one piece of text: neighbours merge, those of the lowest rank first, the leftmost of equals. */

import { findMerge, type MergeTable, mergedAt, rankAt } from "./mergeTable.ts";
import { createNumberHeap } from "./numberHeap.ts";

/** A linked list over bytes: the token that begins at a byte, and where the ones beside it begin. */
interface Chain {
  readonly ids: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
}

const NONE = -1;
/** Ranks times this, plus a position, order as (rank, position) and stay exact up to 2^21 ranks. */
const POSITIONS = 2 ** 32;

/** Ids of the piece. Takes time n log n in the number of bytes, whatever they are. */
export function mergeBytes(
  bytes: Uint8Array,
  byteIds: Int32Array,
  merges: MergeTable,
): readonly number[] {
  const { length } = bytes;
  const chain = chainOf(bytes, byteIds);
  const { ids, next, previous } = chain;
  /** The merge of each token with its right neighbour, as its place in the table. */
  const pending = new Int32Array(length);
  // One entry for every pair of bytes, and two for every merge, of which there are fewer than bytes.
  const queue = createNumberHeap(3 * length);

  const consider = (at: number): void => {
    const right = next[at] ?? NONE;
    const merge = right === NONE ? NONE : findMerge(merges, ids[at] ?? NONE, ids[right] ?? NONE);
    pending[at] = merge;
    if (merge !== NONE) queue.push(rankAt(merges, merge) * POSITIONS + at);
  };

  for (let at = 0; at < length; at += 1) consider(at);
  for (let top = queue.pop(); top !== Number.POSITIVE_INFINITY; top = queue.pop()) {
    const rank = Math.floor(top / POSITIONS);
    const at = top - rank * POSITIONS;
    const merge = pending[at] ?? NONE;
    // Since this was queued, another merge may have taken one of the two.
    if (merge === NONE || rankAt(merges, merge) !== rank) continue;
    ids[at] = mergedAt(merges, merge);
    pending[dropNext(chain, at)] = NONE;
    consider(at);
    const before = previous[at] ?? NONE;
    if (before !== NONE) consider(before);
  }
  return idsOf(chain);
}

function chainOf(bytes: Uint8Array, byteIds: Int32Array): Chain {
  const { length } = bytes;
  const ids = new Int32Array(length);
  const next = new Int32Array(length);
  const previous = new Int32Array(length);
  for (let at = 0; at < length; at += 1) {
    ids[at] = byteIds[bytes[at] ?? 0] ?? NONE;
    next[at] = at + 1 < length ? at + 1 : NONE;
    previous[at] = at - 1;
  }
  return { ids, next, previous };
}

/** Takes the token after `at` out of the list and says where it began. */
function dropNext({ next, previous }: Chain, at: number): number {
  const dropped = next[at] ?? NONE;
  const after = next[dropped] ?? NONE;
  next[at] = after;
  if (after !== NONE) previous[after] = at;
  return dropped;
}

function idsOf({ ids, next }: Chain): readonly number[] {
  const result: number[] = [];
  for (let at = ids.length > 0 ? 0 : NONE; at !== NONE; at = next[at] ?? NONE) {
    result.push(ids[at] ?? NONE);
  }
  return result;
}
