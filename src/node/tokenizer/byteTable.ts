/** Ids to text by bytes: exact for every sequence of ids of a byte-level tokenizer. */

import { isByteLevel, writeBytes } from "./byteLevel.ts";

/** The bytes of all ids, end to end: id `i` has `bytes[starts[i]]` to `bytes[starts[i + 1]]`; unknown ids have none. */
export interface ByteTable {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
}

interface ByteTableEntries {
  /** Ordinary tokens by their ids, in the byte-level alphabet; with holes. */
  readonly ordinary: readonly (string | undefined)[];
  /** Added tokens, in plain text; they win over the ordinary ones. */
  readonly added: readonly { readonly text: string; readonly id: number }[];
}

export function createByteTable({ ordinary, added }: ByteTableEntries): ByteTable {
  const encoder = new TextEncoder();
  const plain = new Map<number, Uint8Array>();
  for (const [id, text] of ordinary.entries()) {
    if (text !== undefined && !isByteLevel(text)) plain.set(id, encoder.encode(text));
  }
  for (const { text, id } of added) plain.set(id, encoder.encode(text));
  const size = Array.from(plain.keys()).reduce(
    (most, id) => Math.max(most, id + 1),
    ordinary.length,
  );

  const starts = new Uint32Array(size + 1);
  for (let id = 0; id < size; id += 1) {
    const length = plain.get(id)?.length ?? ordinary[id]?.length ?? 0;
    starts[id + 1] = (starts[id] ?? 0) + length;
  }
  const bytes = new Uint8Array(starts.at(-1) ?? 0);
  for (let id = 0; id < size; id += 1) {
    const own = plain.get(id);
    if (own !== undefined) bytes.set(own, starts[id]);
    else writeBytes(ordinary[id] ?? "", bytes, starts[id] ?? 0);
  }
  return { bytes, starts };
}

/** The text of the ids; broken UTF-8 becomes U+FFFD. Keeps no state, so a growing sequence can be decoded at any point. */
export function decodeBytes({ bytes, starts }: ByteTable, ids: readonly number[]): string {
  const pieces = ids.map((id) =>
    bytes.subarray(starts[id] ?? 0, starts[id + 1] ?? starts[id] ?? 0),
  );
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(joined);
}
