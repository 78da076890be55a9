/**
 * Puts the ids of a large vocabulary into few groups, so that a tiny model can stand for it: the model knows groups, and all ids of
 * a group are equally likely. Control tokens have groups of their own: then a model with random weights writes them often, and its
 * turns end. A series of names that differ in a number only, such as `<|reserved_7|>`, counts as ordinary.
 */

import type { AddedToken } from "../../../core/chat/tokenizer.ts";
import { roundUp } from "../architecture.ts";

/** At least as many groups hold the ordinary ids. */
const ORDINARY_GROUPS = 24;
/** Names that differ in a number only are a series from here on. */
const SERIES = 3;

export interface TokenGroups {
  readonly vocabSize: number;
  /** A multiple of eight. */
  readonly count: number;
  /** Group of each id. */
  readonly groupOf: Int32Array;
  /** The ids of group `g`, ascending, are `ids[starts[g]]` to `ids[starts[g + 1]]`. */
  readonly ids: Int32Array;
  readonly starts: Int32Array;
  /** Natural logarithm of the number of ids of each group: what their log-prob is less than that of the group. */
  readonly logSizes: Float64Array;
}

export function groupTokens(vocabSize: number, addedTokens: readonly AddedToken[]): TokenGroups {
  const own = new Map(withoutSeries(addedTokens).map(({ id }, group) => [id, group]));
  const count = roundUp(own.size + ORDINARY_GROUPS, 8);
  const ordinary = count - own.size;
  const groupOf = Int32Array.from(
    { length: vocabSize },
    (_, id) => own.get(id) ?? own.size + (id % ordinary),
  );
  const sizes = new Int32Array(count);
  for (const group of groupOf) sizes[group] = (sizes[group] ?? 0) + 1;
  const starts = new Int32Array(count + 1);
  for (const [group, size] of sizes.entries()) starts[group + 1] = (starts[group] ?? 0) + size;
  const next = starts.slice();
  const ids = new Int32Array(vocabSize);
  for (const [id, group] of groupOf.entries()) {
    const at = next[group] ?? 0;
    ids[at] = id;
    next[group] = at + 1;
  }
  const logSizes = Float64Array.from(sizes, Math.log);
  return { vocabSize, count, groupOf, ids, starts, logSizes };
}

/** The group when the id is the only one in it; else null. */
export function ownGroup({ groupOf, starts }: TokenGroups, id: number): number | null {
  const group = groupOf[id] ?? 0;
  return (starts[group + 1] ?? 0) - (starts[group] ?? 0) === 1 ? group : null;
}

/** `uniform` is a number from 0 to 1, without 1. */
export function memberOf({ ids, starts }: TokenGroups, group: number, uniform: number): number {
  const [first, end] = [starts[group] ?? 0, starts[group + 1] ?? 0];
  return ids[first + Math.floor(uniform * (end - first))] ?? 0;
}

function withoutSeries(tokens: readonly AddedToken[]): readonly AddedToken[] {
  const nameOf = ({ text }: AddedToken): string => text.replace(/\d+/g, "0");
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(nameOf(token), (counts.get(nameOf(token)) ?? 0) + 1);
  return tokens.filter((token) => (counts.get(nameOf(token)) ?? 0) < SERIES);
}
