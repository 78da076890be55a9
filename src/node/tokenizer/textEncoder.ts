/** Encodes text to ids; all input is treated as ordinary text. */

import { ByteMerger } from "./byteMerger.ts";
import type { CompiledTokenizer } from "./compiledModel.ts";
import { createTextSplitter } from "./hf.ts";
import { findWholeToken } from "./wholeTokens.ts";

/** Words repeat, so their ids are cached; these limits keep the cache to a few megabytes. */
const MAX_CACHED_PIECES = 20_000;
const MAX_CACHED_LENGTH = 64;

/** @throws Error if the splitting rules are not supported */
export function createTextEncoder(tokenizer: CompiledTokenizer): (text: string) => number[] {
  const { table, byteIds, merges, wholeTokens } = tokenizer;
  const splitter = createTextSplitter(tokenizer.splitting);
  const merger = new ByteMerger(byteIds, merges);
  const cache = new Map<string, readonly number[]>();

  const encodePiece = (piece: string): readonly number[] => {
    const bytes = splitter.bytesOf(piece);
    const whole = wholeTokens === null ? null : findWholeToken(wholeTokens, table, bytes);
    return whole === null ? merger.merge(bytes) : [whole];
  };

  const cachedIds = (piece: string): readonly number[] => {
    const known = cache.get(piece);
    if (known !== undefined) return known;
    const ids = encodePiece(piece);
    if (piece.length > MAX_CACHED_LENGTH) return ids;
    if (cache.size >= MAX_CACHED_PIECES) cache.clear();
    cache.set(piece, ids);
    return ids;
  };

  return (text) => {
    const ids: number[] = [];
    if (text === "") return ids;
    for (const piece of splitter.split(text)) for (const id of cachedIds(piece)) ids.push(id);
    return ids;
  };
}
