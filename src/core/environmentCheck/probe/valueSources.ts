/** Sources of argument values: random or constant. */

import type { ValueSource } from "./jsonSchema.ts";

const MAX_WORDS = 300;
const PLAIN_WORDS: readonly string[] = ["x", "0", "1", "yes"];

/** Words for random texts, collected from the environment's own texts. */
export class WordList {
  readonly #words = new Set<string>(PLAIN_WORDS);

  learn(text: string): void {
    for (const word of text.slice(0, 2_000).match(/[\p{L}\p{N}_.+*/-]{1,40}/gu) ?? []) {
      if (this.#words.size >= MAX_WORDS) return;
      this.#words.add(word.replace(/[.]+$/, ""));
    }
  }

  /** One in four words is a plain word that is not from any text. */
  draw(uniform: () => number): string {
    const words = uniform() < 0.25 ? PLAIN_WORDS : [...this.#words];
    return words[Math.floor(uniform() * words.length)] ?? "x";
  }
}

/** Random values drawn from `uniform`. */
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

/** The same values in every call. `text` is used for strings; `choice`, from 0 to 1, is the relative position among choices and numbers. */
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
