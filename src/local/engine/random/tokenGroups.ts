/**
 * Maps a large vocabulary to a few groups, so that a tiny model can represent it: the model predicts groups, and all ids of a group
 * are equally likely. Control tokens have their own groups, so that a model with random weights emits them often enough for its turns
 * to end. Series of names that differ only in a number, such as `<|reserved_7|>`, count as ordinary tokens.
 */

import type { AddedToken } from "../../../core/chat/tokenizer.ts";
import { roundUp } from "../architecture.ts";

/** Minimum number of groups for ordinary ids. */
const ORDINARY_GROUPS = 24;
/** This many names that differ only in a number form a series. */
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
  /** Natural logarithm of each group's size: the difference between the log-probs of a group and its ids. */
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

/** The group if it contains only this id; otherwise null. */
export function ownGroup({ groupOf, starts }: TokenGroups, id: number): number | null {
  const group = groupOf[id] ?? 0;
  return (starts[group + 1] ?? 0) - (starts[group] ?? 0) === 1 ? group : null;
}

/** Selects an id of the group; `uniform` is in [0, 1). */
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
