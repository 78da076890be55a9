/** Decodes ids via bytes: exact for any id sequence of a byte-level tokenizer. */

import { isByteLevel, writeBytes } from "./byteLevel.ts";

/** The concatenated bytes of all ids: id `i` spans `bytes[starts[i]]` to `bytes[starts[i + 1]]`; unknown ids are empty. */
export interface ByteTable {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
}

interface ByteTableEntries {
  /** Ordinary tokens by id, in the byte-level alphabet; sparse. */
  readonly ordinary: readonly (string | undefined)[];
  /** Added tokens in plain text; they take precedence over ordinary ones. */
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

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Reused across calls: turns are decoded several times, and garbage of this size is freed late. */
let scratch = new Uint8Array(64 * 1024);

/** The text of the ids; invalid UTF-8 becomes U+FFFD. Stateless, so a growing sequence can be decoded at any point. */
export function decodeBytes({ bytes, starts }: ByteTable, ids: ArrayLike<number>): string {
  const startOf = (id: number) => starts[id] ?? 0;
  const endOf = (id: number) => starts[id + 1] ?? startOf(id);
  let length = 0;
  for (let i = 0; i < ids.length; i += 1) length += endOf(ids[i] ?? -1) - startOf(ids[i] ?? -1);
  if (length > scratch.length) scratch = new Uint8Array(2 * length);
  let at = 0;
  // Byte by byte, because a view per token would take more memory than the text.
  for (let i = 0; i < ids.length; i += 1) {
    const end = endOf(ids[i] ?? -1);
    for (let from = startOf(ids[i] ?? -1); from < end; from += 1) scratch[at++] = bytes[from] ?? 0;
  }
  return decoder.decode(scratch.subarray(0, length));
}
