/** Tokens indexed by their complete bytes, in one typed array, for vocabularies that look up whole pieces before merging. */

import type { ByteTable } from "./byteTable.ts";

/** A hash table of ids with linear probing; -1 marks an empty slot. The number of slots is a power of two. */
export type WholeTokens = Int32Array<ArrayBuffer>;

const EMPTY = -1;

export function createWholeTokens(table: ByteTable, ids: readonly number[]): WholeTokens {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(1, ids.length) * 1.5));
  const tokens: WholeTokens = new Int32Array(slots).fill(EMPTY);
  const { bytes, starts } = table;
  for (const id of ids) {
    const piece = { bytes, start: starts[id] ?? 0, end: starts[id + 1] ?? 0 };
    tokens[slotOf(tokens, table, piece)] = id;
  }
  return tokens;
}

/** The id of the token with exactly these bytes; null if there is none. */
export function findWholeToken(
  tokens: WholeTokens,
  table: ByteTable,
  bytes: Uint8Array,
): number | null {
  const id = tokens[slotOf(tokens, table, { bytes, start: 0, end: bytes.length })] ?? EMPTY;
  return id === EMPTY ? null : id;
}

interface Piece {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Index of the slot for the token with these bytes, or of the empty slot where it would go. */
function slotOf(tokens: WholeTokens, table: ByteTable, piece: Piece): number {
  const mask = tokens.length - 1;
  let at = hashOf(piece) & mask;
  for (let id = tokens[at] ?? EMPTY; id !== EMPTY; id = tokens[at] ?? EMPTY) {
    if (isToken(table, id, piece)) return at;
    at = (at + 1) & mask;
  }
  return at;
}

function isToken(table: ByteTable, id: number, { bytes, start, end }: Piece): boolean {
  const first = table.starts[id] ?? 0;
  if ((table.starts[id + 1] ?? 0) - first !== end - start) return false;
  for (let at = start; at < end; at += 1) {
    if (bytes[at] !== table.bytes[first + at - start]) return false;
  }
  return true;
}

/** FNV-1a. */
function hashOf({ bytes, start, end }: Piece): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
