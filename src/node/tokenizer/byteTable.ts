/** Ids to text by bytes: exact for every sequence of ids of a byte-level tokenizer. */

/** The bytes of all ids, end to end: id `i` has `bytes[starts[i]]` to `bytes[starts[i + 1]]`; unknown ids have none. */
export interface ByteTable {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

interface ByteTableEntries {
  /** Text of every ordinary token, in the byte-level alphabet, with its id. */
  readonly vocabulary: Iterable<readonly [text: string, id: number]>;
  /** Added tokens, in plain text; they win over the vocabulary. */
  readonly added: Iterable<readonly [text: string, id: number]>;
}

export function createByteTable({ vocabulary, added }: ByteTableEntries): ByteTable {
  const encoder = new TextEncoder();
  const byteOf = byteLevelAlphabet();
  const bytesOf: (Uint8Array | undefined)[] = [];
  for (const [text, id] of vocabulary) bytesOf[id] = ownBytes(text, byteOf) ?? encoder.encode(text);
  for (const [text, id] of added) bytesOf[id] = encoder.encode(text);

  const starts = new Uint32Array(bytesOf.length + 1);
  for (let id = 0; id < bytesOf.length; id += 1) {
    starts[id + 1] = (starts[id] ?? 0) + (bytesOf[id]?.length ?? 0);
  }
  const bytes = new Uint8Array(starts.at(-1) ?? 0);
  bytesOf.forEach((own, id) => {
    if (own !== undefined) bytes.set(own, starts[id]);
  });
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

/** The characters that stand for the 256 bytes in byte-level vocabularies (GPT-2's alphabet), with their byte. */
export function byteLevelAlphabet(): ReadonlyMap<string, number> {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
  const alphabet = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte += 1) {
    if (isPrintable(byte)) alphabet.set(String.fromCharCode(byte), byte);
    else alphabet.set(String.fromCharCode(next++), byte);
  }
  return alphabet;
}

/** Null when a character is outside the alphabet: then the entry is plain text. */
function ownBytes(text: string, byteOf: ReadonlyMap<string, number>): Uint8Array | null {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const byte = byteOf.get(text.charAt(at));
    if (byte === undefined) return null;
    bytes[at] = byte;
  }
  return bytes;
}
