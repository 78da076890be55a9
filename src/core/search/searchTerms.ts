/** Terms of a search, with the trigrams that a matching text must contain. */

import type { SearchQuery } from "../../shared/search.ts";
import { AppError, errorMessage } from "../errors.ts";
import { escapePattern } from "../util/escapePattern.ts";
import { requiredLiterals } from "./regexLiterals.ts";
import { literalHashes } from "./trigrams.ts";

export interface SearchTerm {
  /** Finds all matches, with the flag `g`. */
  readonly pattern: RegExp;
  /** Finds lines of JSON in which a string may contain the term; null = any line may. */
  readonly linePattern: RegExp | null;
  /** Trigrams of every such line. */
  readonly hashes: readonly number[];
}

const WORD_OR_PHRASE = /"([^"]+)"|\S+/g;
/** Without these, letters are case-folded individually, as in the index. */
const NEEDS_UNICODE = /\\[pP]\{|\\u\{/;

/** The terms of `query`, all of which must occur. @throws AppError `bad-expression` */
export function searchTerms({
  text,
  isRegex,
  isCaseSensitive = false,
}: SearchQuery): readonly SearchTerm[] {
  const flags = isCaseSensitive ? "g" : "gi";
  if (isRegex) return text === "" ? [] : [expression(text, flags)];
  const words = [...text.matchAll(WORD_OR_PHRASE)].map(([word, phrase]) => phrase ?? word);
  return [...new Set(words)].map((word) => ({
    pattern: literalPattern(word, flags),
    linePattern: literalPattern(JSON.stringify(word).slice(1, -1), flags.slice(1)),
    hashes: literalHashes(word),
  }));
}

function literalPattern(literal: string, flags: string): RegExp {
  return new RegExp(escapePattern(literal), flags);
}

function expression(text: string, flags: string): SearchTerm {
  const isUnicode = NEEDS_UNICODE.test(text);
  try {
    return {
      pattern: new RegExp(text, isUnicode ? `${flags}u` : flags),
      linePattern: null,
      hashes: isUnicode ? [] : requiredLiterals(text).flatMap(literalHashes),
    };
  } catch (error) {
    throw new AppError(
      "bad-expression",
      `Invalid regular expression: ${errorMessage(error)}. Correct it, or search for plain text.`,
      { cause: error },
    );
  }
}
