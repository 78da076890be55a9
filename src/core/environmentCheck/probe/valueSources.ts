/** Values for arguments: drawn at random, or the same everywhere. */

import type { ValueSource } from "./jsonSchema.ts";

const MAX_WORDS = 300;
const PLAIN_WORDS: readonly string[] = ["x", "0", "1", "yes"];

/** Words that texts are drawn from: those that the environment itself uses. */
export class WordList {
  readonly #words = new Set<string>(PLAIN_WORDS);

  learn(text: string): void {
    for (const word of text.slice(0, 2_000).match(/[\p{L}\p{N}_.+*/-]{1,40}/gu) ?? []) {
      if (this.#words.size >= MAX_WORDS) return;
      this.#words.add(word.replace(/[.]+$/, ""));
    }
  }

  /** One in four comes from no text at all. */
  draw(uniform: () => number): string {
    const words = uniform() < 0.25 ? PLAIN_WORDS : [...this.#words];
    return words[Math.floor(uniform() * words.length)] ?? "x";
  }
}

/** Random values; `uniform` decides all of them. */
export function randomSource(uniform: () => number, vocabulary: WordList): ValueSource {
  return {
    text: () => vocabulary.draw(uniform),
    number: (low, high, isInteger) => {
      const value = low + uniform() * (high - low + (isInteger ? 1 : 0));
      return isInteger ? Math.floor(value) : value;
    },
    boolean: () => uniform() < 0.5,
    choose: (count) => Math.floor(uniform() * count),
    takesOptional: () => uniform() < 0.5,
  };
}

/** The same values in every call. `text` is for each text; `choice` is the place of what is chosen, from 0 for the first to 1. */
export function constantSource(text: string, choice = 0): ValueSource {
  return {
    text: () => text,
    number: (low, high, isInteger) => {
      const value = low + choice * (high - low);
      return isInteger ? Math.round(value) : value;
    },
    boolean: () => choice >= 0.5,
    choose: (count) => Math.min(count - 1, Math.floor(choice * count)),
    takesOptional: () => false,
  };
}
