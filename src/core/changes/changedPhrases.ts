/** The phrases whose frequency changed most between two sets of rollouts. */

import { logOddsScore, type PhraseCounts } from "./logOdds.ts";
import { PhraseTable, phrasesOf } from "./phraseCounts.ts";

export type RolloutWords = readonly (string | null)[];

export interface ScoredPhrase extends PhraseCounts {
  readonly words: string;
  readonly score: number;
}

/** Candidates for each direction, of which those that say the same are left out. */
const CANDIDATES = 2_000;
const MAX_PHRASES = 25;
/** Words that two phrases share, and those of what they become. */
const MAX_OVERLAP = 3;
const MAX_JOINED = 24;
/** Two phrases are one where the one has at least this share of the other's rollouts. */
const SAME_SHARE = 0.8;
/** Below, a difference is as likely chance. */
const MIN_SCORE = 2;

/** The most changed ones of each direction, the surest first. */
export function changedPhrases(
  before: readonly RolloutWords[],
  after: readonly RolloutWords[],
): { readonly more: readonly ScoredPhrase[]; readonly less: readonly ScoredPhrase[] } {
  const tables = { before: tableOf(before), after: tableOf(after) };
  const totals = { before: tables.before.total, after: tables.after.total };
  const slots = changedSlots(tables, totals);
  const counts = exactCounts(slots, before, after);
  const scored = [...counts]
    .map(([words, own]) => ({ words, ...own, score: logOddsScore(own, totals) }))
    .sort((a, b) => b.score - a.score || b.words.length - a.words.length);
  const count = counterOf(before, after);
  return {
    more: distinct(
      scored.filter(({ score }) => score >= MIN_SCORE),
      count,
    ),
    less: distinct(scored.filter(({ score }) => score <= -MIN_SCORE).reverse(), count),
  };
}

/** Counts the rollouts that have a phrase of any length. */
function counterOf(
  before: readonly RolloutWords[],
  after: readonly RolloutWords[],
): (words: string) => PhraseCounts {
  const texts = [before, after].map((rollouts) =>
    rollouts.map((words) => ` ${words.map((word) => word ?? "\0").join(" ")} `),
  );
  const [early = [], late = []] = texts;
  const countIn = (range: readonly string[], words: string): number =>
    range.filter((text) => text.includes(` ${words} `)).length;
  return (words) => ({ before: countIn(early, words), after: countIn(late, words) });
}

interface Tables {
  readonly before: PhraseTable;
  readonly after: PhraseTable;
}

function tableOf(rollouts: readonly RolloutWords[]): PhraseTable {
  const table = new PhraseTable();
  for (const words of rollouts) table.add(words);
  return table;
}

/** Those with the highest and the lowest scores. */
function changedSlots({ before, after }: Tables, totals: PhraseCounts): ReadonlySet<number> {
  const scored: { readonly slot: number; readonly score: number }[] = [];
  for (let slot = 0; slot < before.slots; slot += 1) {
    const counts = { before: before.countOf(slot), after: after.countOf(slot) };
    if (counts.before === counts.after) continue;
    const score = logOddsScore(counts, totals);
    if (Math.abs(score) >= MIN_SCORE) scored.push({ slot, score });
  }
  scored.sort((a, b) => b.score - a.score);
  const ends = [...scored.slice(0, CANDIDATES), ...scored.slice(-CANDIDATES)];
  return new Set(ends.map(({ slot }) => slot));
}

/** Several phrases may share a slot, so that each is counted by its words. */
function exactCounts(
  slots: ReadonlySet<number>,
  before: readonly RolloutWords[],
  after: readonly RolloutWords[],
): ReadonlyMap<string, PhraseCounts> {
  const counts = new Map<string, { before: number; after: number }>();
  for (const [range, rollouts] of [["before", before] as const, ["after", after] as const]) {
    for (const words of rollouts) {
      const own = new Set<string>();
      for (const phrase of phrasesOf(words)) if (slots.has(phrase.slot)) own.add(phrase.words);
      for (const phrase of own) {
        const count = counts.get(phrase) ?? { before: 0, after: 0 };
        count[range] += 1;
        counts.set(phrase, count);
      }
    }
  }
  return counts;
}

/** Of phrases that lie within each other or go on in each other, in nearly the same rollouts, one stays, at the place of the first. */
function distinct(
  sorted: readonly ScoredPhrase[],
  count: (words: string) => PhraseCounts,
): readonly ScoredPhrase[] {
  const kept: ScoredPhrase[] = [];
  for (const phrase of sorted.slice(0, CANDIDATES)) {
    let next = phrase;
    let place = kept.length;
    for (let at = kept.length - 1; at >= 0; at -= 1) {
      const other = kept[at];
      const words = other === undefined ? null : joined(next, other, count);
      if (words === null) continue;
      kept.splice(at, 1);
      place = at;
      next = { ...(other ?? next), ...count(words), words };
    }
    kept.splice(place, 0, next);
  }
  return kept.slice(0, MAX_PHRASES);
}

/** Both as one phrase; null when they are two. */
function joined(
  a: ScoredPhrase,
  b: ScoredPhrase,
  count: (words: string) => PhraseCounts,
): string | null {
  const [short, long] = a.words.length < b.words.length ? [a, b] : [b, a];
  const most = Math.max(total(a), total(b)) * SAME_SHARE;
  if (Math.min(total(a), total(b)) < most) return null;
  if (` ${long.words} `.includes(` ${short.words} `)) return long.words;
  return (
    [overlapped(a.words, b.words), overlapped(b.words, a.words)].find(
      (words) => words !== null && total(count(words)) >= most,
    ) ?? null
  );
}

function total({ before, after }: PhraseCounts): number {
  return before + after;
}

/** `first` and what `second` adds, where the end of one is the beginning of the other, by two words at least. */
function overlapped(first: string, second: string): string | null {
  const [start, end] = [first.split(" "), second.split(" ")];
  for (let shared = Math.min(MAX_OVERLAP, start.length, end.length); shared >= 2; shared -= 1) {
    if (start.slice(-shared).join(" ") !== end.slice(0, shared).join(" ")) continue;
    const words = [...start, ...end.slice(shared)];
    return words.length > MAX_JOINED ? null : words.join(" ");
  }
  return null;
}
