/** Tokens by all of their bytes, in one typed array, for vocabularies that look a piece up before they merge. */

import type { ByteTable } from "./byteTable.ts";

/** A hash table with linear probing of ids; -1 in an empty slot. The number of slots is a power of two. */
export type WholeTokens = Int32Array<ArrayBuffer>;

const EMPTY = -1;

export function createWholeTokens(table: ByteTable, ids: readonly number[]): WholeTokens {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(1, ids.length) * 1.5));
  const tokens: WholeTokens = new Int32Array(slots).fill(EMPTY);
  for (const id of ids) tokens[slotOf(tokens, table, bytesOf(table, id))] = id;
  return tokens;
}

/** The id of the token that is exactly these bytes; null when there is none. */
export function findWholeToken(
  tokens: WholeTokens,
  table: ByteTable,
  bytes: Uint8Array,
): number | null {
  const id = tokens[slotOf(tokens, table, bytes)] ?? EMPTY;
  return id === EMPTY ? null : id;
}

/** The slot of the token with these bytes, or the empty one that it would take. */
function slotOf(tokens: WholeTokens, table: ByteTable, bytes: Uint8Array): number {
  const mask = tokens.length - 1;
  let at = hashOf(bytes) & mask;
  for (let id = tokens[at] ?? EMPTY; id !== EMPTY; id = tokens[at] ?? EMPTY) {
    if (isEqual(bytesOf(table, id), bytes)) return at;
    at = (at + 1) & mask;
  }
  return at;
}

function bytesOf({ bytes, starts }: ByteTable, id: number): Uint8Array {
  return bytes.subarray(starts[id], starts[id + 1]);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash ^ (hash >>> 15);
}
