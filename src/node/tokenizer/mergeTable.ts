/** The merges of a byte-pair encoding in one typed array, which transfers between threads without copying. */

export interface Merge {
  readonly left: number;
  readonly right: number;
  readonly merged: number;
  /** Lower ranks merge first. */
  readonly rank: number;
}

/**
 * A hash table with linear probing and four numbers per slot: left id, right id, rank, merged id. The left id of an empty slot is -1. The
 * number of slots is a power of two.
 */
export type MergeTable = Int32Array<ArrayBuffer>;

/** Ranks are below this limit; no vocabulary comes close. */
export const MAX_RANKS = 2 ** 21;

const SLOT = 4;
const EMPTY = -1;

/** For duplicate pairs, the later merge counts, as in the original library. @throws Error if a rank is too large */
export function createMergeTable(merges: readonly Merge[]): MergeTable {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(1, merges.length) * 1.5));
  const table: MergeTable = new Int32Array(slots * SLOT).fill(EMPTY);
  for (const { left, right, rank, merged } of merges) {
    if (rank >= MAX_RANKS) throw new Error(`it has more than ${MAX_RANKS} merges`);
    const at = slotOf(table, left, right);
    table[at] = left;
    table[at + 1] = right;
    table[at + 2] = rank;
    table[at + 3] = merged;
  }
  return table;
}

/** Table index of the merge of two tokens, for `rankAt` and `mergedAt`; -1 if they do not merge. */
export function findMerge(table: MergeTable, left: number, right: number): number {
  const at = slotOf(table, left, right);
  return table[at] === EMPTY ? -1 : at;
}

export function rankAt(table: MergeTable, at: number): number {
  return table[at + 2] ?? EMPTY;
}

export function mergedAt(table: MergeTable, at: number): number {
  return table[at + 3] ?? EMPTY;
}

/** Index of the slot for the two tokens, or of the empty slot where they would go. */
function slotOf(table: MergeTable, left: number, right: number): number {
  const mask = table.length - SLOT;
  let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
  hash ^= hash >>> 15;
  let at = Math.imul(hash, SLOT) & mask;
  while (table[at] !== EMPTY && (table[at] !== left || table[at + 1] !== right)) {
    at = (at + SLOT) & mask;
  }
  return at;
}
