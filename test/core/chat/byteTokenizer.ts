/** A pure-TypeScript byte tokenizer: ids 0 to 255 are bytes, followed by the added tokens. Every encoding is predictable. */

import type { Tokenizer } from "../../../src/core/chat/tokenizer.ts";

export const FIRST_ADDED = 256;

export function byteTokenizer(added: readonly string[]): Tokenizer {
  const encoder = new TextEncoder();
  return {
    vocabSize: FIRST_ADDED + added.length,
    addedTokens: added.map((text, index) => ({ id: FIRST_ADDED + index, text })),
    encodeText: (text) => [...encoder.encode(text)],
    decode: (ids) => {
      const bytes = Array.from(ids).flatMap((id) => {
        const text = added[id - FIRST_ADDED];
        return text === undefined ? [id] : [...encoder.encode(text)];
      });
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
    },
  };
}
