/**
 * Counts in how many rollouts each phrase of one to four words occurs. Phrases are counted by a 32-bit hash in a table of fixed
 * size, which bounds memory. A second pass finds the words of the selected phrases and counts them exactly.
 */

const MAX_WORDS = 4;
/** Words per rollout. Later words are not counted. */
const MAX_ROLLOUT_WORDS = 4_000;
const TABLE_BITS = 22;
const WORD = /[\p{L}\p{N}_]+(?:['’][\p{L}]+)?/gu;
/** FNV-1a, 32 bits (G. Fowler, L. Noll, P. Vo, 1991). */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export interface Phrase {
  readonly words: string;
  readonly slot: number;
}

/** Words of a rollout's texts. `null` separates texts. */
export function wordsOf(texts: readonly string[]): readonly (string | null)[] {
  const words: (string | null)[] = [];
  for (const text of texts) {
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      if (words.length >= MAX_ROLLOUT_WORDS) return words;
      words.push(word);
    }
    words.push(null);
  }
  return words;
}

/** All phrases in `words`, including repetitions. */
export function* phrasesOf(words: readonly (string | null)[]): Generator<Phrase> {
  for (let start = 0; start < words.length; start += 1) {
    let hash = FNV_OFFSET;
    let phrase = "";
    for (let length = 1; length <= MAX_WORDS; length += 1) {
      const word = words[start + length - 1];
      if (word == null) break;
      phrase = length === 1 ? word : `${phrase} ${word}`;
      hash = hashOf(length === 1 ? word : ` ${word}`, hash);
      yield { words: phrase, slot: hash >>> (32 - TABLE_BITS) };
    }
  }
}

function hashOf(text: string, from: number): number {
  let hash = from;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  }
  return hash;
}

/** Counts how many rollouts contain the phrases of each slot. */
export class PhraseTable {
  readonly #counts = new Uint16Array(2 ** TABLE_BITS);
  rollouts = 0;

  /** Counts each slot of a rollout once. */
  add(words: readonly (string | null)[]): void {
    const slots = new Set<number>();
    for (const { slot } of phrasesOf(words)) slots.add(slot);
    for (const slot of slots) this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    this.rollouts += 1;
  }

  countOf(slot: number): number {
    return this.#counts[slot] ?? 0;
  }

  get slots(): number {
    return this.#counts.length;
  }
}
