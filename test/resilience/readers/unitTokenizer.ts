/** A nearly free tokenizer, so that only the parser is measured: ids are code units, followed by the added tokens. */

import type { Tokenizer } from "../../../src/core/chat/tokenizer.ts";

const FIRST_ADDED = 65_536;

export function unitTokenizer(added: readonly string[]): Tokenizer {
  return {
    vocabSize: FIRST_ADDED + added.length,
    addedTokens: added.map((text, index) => ({ id: FIRST_ADDED + index, text })),
    encodeText: (text) => Array.from(text, (_, at) => text.charCodeAt(at)),
    decode: (ids) => {
      let text = "";
      for (const id of Array.from(ids)) text += added[id - FIRST_ADDED] ?? String.fromCharCode(id);
      return text;
    },
  };
}
