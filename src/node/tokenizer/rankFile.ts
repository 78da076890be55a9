/**
 * Rank files in tiktoken's format: one token per line, with its bytes in base64 and its rank. The rank is the id. Two neighbors merge if
 * their bytes together form a token, lowest rank first.
 */

import { BYTE_LEVEL_ALPHABET } from "./byteLevel.ts";
import type { Merge } from "./mergeTable.ts";
import { MAX_ID, type Vocabulary } from "./vocabulary.ts";

const LINE = /^([A-Za-z0-9+/]+={0,2}) (\d{1,8})$/;

/** @throws Error that describes the problem with its line number */
export function parseRankFile(content: Buffer): Vocabulary {
  const ids = new Map<string, number>();
  const textOf: string[] = [];
  for (const [index, line] of content.toString("latin1").split("\n").entries()) {
    if (line.trim() === "") continue;
    const [, base64, digits] = LINE.exec(line.trimEnd()) ?? [];
    const id = Number(digits);
    if (base64 === undefined || !(id <= MAX_ID)) {
      throw new Error(`line ${index + 1} is not a token in base64 and its rank`);
    }
    const text = spell(Buffer.from(base64, "base64"));
    if (ids.has(text) || textOf[id] !== undefined) {
      throw new Error(`line ${index + 1} repeats a token or a rank`);
    }
    ids.set(text, id);
    textOf[id] = text;
  }
  return { textOf, idOf: (text) => ids.get(text) ?? null };
}

/** Every pair of tokens whose concatenation is a token. */
export function mergesOfRanks({ textOf, idOf }: Vocabulary): readonly Merge[] {
  const merges: Merge[] = [];
  for (const [merged, text] of textOf.entries()) {
    if (text === undefined) continue;
    for (let at = 1; at < text.length; at += 1) {
      const left = idOf(text.slice(0, at));
      const right = left === null ? null : idOf(text.slice(at));
      if (left !== null && right !== null) merges.push({ left, right, merged, rank: merged });
    }
  }
  return merges;
}

function spell(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += BYTE_LEVEL_ALPHABET[byte] ?? "";
  return text;
}
