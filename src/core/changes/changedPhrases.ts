/** Finds the phrases whose frequency changed most between two sets of rollouts. */

import { createFisherTest, type FisherTest, trustedP } from "./fisherTest.ts";
import { PhraseTable, phrasesOf } from "./phraseCounts.ts";

export type RolloutWords = readonly (string | null)[];
/** Rollouts of one task in one step. Because they are similar, only the first is tested, but all are counted. */
export type TaskWords = readonly RolloutWords[];

/** Number of rollouts that contain a phrase. */
interface PhraseCounts {
  readonly before: number;
  readonly after: number;
}

export interface SurePhrase extends PhraseCounts {
  readonly words: string;
}

/** Candidates per direction, before overlapping phrases are merged. */
const CANDIDATES = 2_000;
const MAX_PHRASES = 25;
/** Maximum number of words in the overlap of two phrases, and in the merged phrase. */
const MAX_OVERLAP = 3;
const MAX_JOINED = 24;
/** Two phrases are merged if one occurs in at least this share of the other's rollouts. */
const SAME_SHARE = 0.8;
/** Expected share of false positives among the listed phrases. */
const FALSE_SHARE = 0.05;

/** The most changed phrases in each direction, most certain first. */
export function changedPhrases(
  before: readonly TaskWords[],
  after: readonly TaskWords[],
): { readonly more: readonly SurePhrase[]; readonly less: readonly SurePhrase[] } {
  const pOf = createFisherTest(before.length, after.length);
  const { slots, tests } = changedSlots(tableOf(before), tableOf(after), pOf);
  const judged = [...exactCounts(slots, before, after)]
    .map(([words, { tested, rollouts }]) => ({
      words,
      ...rollouts,
      p: pOf(tested.before, tested.after),
      isMore: tested.after * before.length > tested.before * after.length,
    }))
    .sort((a, b) => a.p - b.p || b.words.length - a.words.length);
  const trusted = trustedP(
    judged.map(({ p }) => p),
    tests,
    FALSE_SHARE,
  );
  const sure = judged.filter(({ p }) => p <= trusted);
  const count = counterOf(before.flat(), after.flat());
  const found = (isMore: boolean) =>
    distinct(
      sure
        .filter((phrase) => phrase.isMore === isMore)
        .map(({ words, before, after }) => ({ words, before, after })),
      count,
    );
  return { more: found(true), less: found(false) };
}

/** Counts the rollouts that contain a phrase of any length. */
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

function tableOf(tasks: readonly TaskWords[]): PhraseTable {
  const table = new PhraseTable();
  for (const [tested] of tasks) if (tested !== undefined) table.add(tested);
  return table;
}

/**
 * Slots that may have changed, most certain first, and the number of tests. Phrases in too few rollouts to ever be significant
 * are not tested (R. Tarone, Biometrics 46, 1990).
 */
function changedSlots(
  before: PhraseTable,
  after: PhraseTable,
  pOf: FisherTest,
): { readonly slots: ReadonlySet<number>; readonly tests: number } {
  const candidates: { readonly slot: number; readonly p: number; readonly isMore: boolean }[] = [];
  let tests = 0;
  const judgeable: boolean[] = [];
  const canBeJudged = (found: number): boolean =>
    (judgeable[found] ??=
      Math.min(
        pOf(Math.min(found, before.rollouts), found - Math.min(found, before.rollouts)),
        pOf(found - Math.min(found, after.rollouts), Math.min(found, after.rollouts)),
      ) <= FALSE_SHARE);
  for (let slot = 0; slot < before.slots; slot += 1) {
    const [early, late] = [before.countOf(slot), after.countOf(slot)];
    if (!canBeJudged(early + late)) continue;
    tests += 1;
    const p = pOf(early, late);
    const isMore = late * before.rollouts > early * after.rollouts;
    if (p <= FALSE_SHARE) candidates.push({ slot, p, isMore });
  }
  candidates.sort((a, b) => a.p - b.p);
  const surest = (isMore: boolean) =>
    candidates.filter((candidate) => candidate.isMore === isMore).slice(0, CANDIDATES);
  return { slots: new Set([...surest(true), ...surest(false)].map(({ slot }) => slot)), tests };
}

/** Number of rollouts that contain a phrase, among the tested rollouts and among all. */
interface FoundCounts {
  readonly tested: PhraseCounts;
  readonly rollouts: PhraseCounts;
}

/** Several phrases may share a slot, so each phrase is counted by its words. */
function exactCounts(
  slots: ReadonlySet<number>,
  before: readonly TaskWords[],
  after: readonly TaskWords[],
): ReadonlyMap<string, FoundCounts> {
  const counts = new Map<string, Record<keyof FoundCounts, { before: number; after: number }>>();
  const none = () => ({ before: 0, after: 0 });
  for (const { range, words, isTested } of rolloutsOf({ before, after })) {
    const own = new Set<string>();
    for (const phrase of phrasesOf(words)) if (slots.has(phrase.slot)) own.add(phrase.words);
    for (const phrase of own) {
      const count = counts.get(phrase) ?? { tested: none(), rollouts: none() };
      count.rollouts[range] += 1;
      if (isTested) count.tested[range] += 1;
      counts.set(phrase, count);
    }
  }
  return counts;
}

function* rolloutsOf(ranges: Readonly<Record<keyof PhraseCounts, readonly TaskWords[]>>) {
  for (const range of ["before", "after"] as const) {
    for (const task of ranges[range]) {
      for (const [at, words] of task.entries()) yield { range, words, isTested: at === 0 };
    }
  }
}

/** Merges phrases that overlap in nearly the same rollouts. A merged phrase takes the position of the first. */
function distinct(
  sorted: readonly SurePhrase[],
  count: (words: string) => PhraseCounts,
): readonly SurePhrase[] {
  const kept: SurePhrase[] = [];
  for (const phrase of sorted.slice(0, CANDIDATES)) {
    let next = phrase;
    let index = kept.length;
    for (let at = kept.length - 1; at >= 0; at -= 1) {
      const other = kept[at];
      const words = other === undefined ? null : joined(next, other, count);
      if (words === null) continue;
      kept.splice(at, 1);
      index = at;
      next = { ...(other ?? next), ...count(words), words };
    }
    kept.splice(index, 0, next);
  }
  return kept.slice(0, MAX_PHRASES);
}

/** The merged phrase; null if the two are different phrases. */
function joined(
  a: SurePhrase,
  b: SurePhrase,
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

/** `first` extended by `second` if its end overlaps the beginning of `second` by at least two words; otherwise null. */
function overlapped(first: string, second: string): string | null {
  const [start, end] = [first.split(" "), second.split(" ")];
  for (let shared = Math.min(MAX_OVERLAP, start.length, end.length); shared >= 2; shared -= 1) {
    if (start.slice(-shared).join(" ") !== end.slice(0, shared).join(" ")) continue;
    const words = [...start, ...end.slice(shared)];
    return words.length > MAX_JOINED ? null : words.join(" ");
  }
  return null;
}
