/** `contains`: the correct answer anywhere in the text. */

import { answerText, type Grader } from "./grader.ts";
import { normalize } from "./normalize.ts";

/** Only the end of a longer text is searched. */
const MAX_CHARACTERS = 20_000;
/** Excludes scripts without spaces between words, where a word can start anywhere. */
const WORD =
  /(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}])[\p{L}\p{N}\p{M}_]/u;

/** Matches whole words: `5` is not in `15`, `5.2` or `-5`, but `東京` is in `東京です`. Normalizes like `exact`. */
export function containsGrader(isCaseSensitive: boolean): Grader {
  return {
    fault: () => null,
    isRight(answer, reference) {
      const text = normalize(answer.slice(-MAX_CHARACTERS), isCaseSensitive);
      const word = normalize(answerText(reference), isCaseSensitive);
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
        if (isWhole(text, at, at + word.length)) return true;
      }
      return false;
    },
    rule: "The answer must contain the right words; spacing and what is around them do not matter.",
  };
}

function isWhole(text: string, start: number, end: number): boolean {
  const isWord = (character: string | undefined): boolean =>
    character !== undefined && WORD.test(character);
  const [first] = text.slice(start, start + 2);
  const last = [...text.slice(Math.max(start, end - 2), end)].at(-1);
  const before = [...text.slice(Math.max(0, start - 2), start)].at(-1);
  const [after] = text.slice(end, end + 2);
  if (isWord(first) && isWord(before)) return false;
  if (isWord(last) && isWord(after)) return false;
  const isDigit = /\d/.test(last ?? "") && /^[.,]\d/.test(text.slice(end, end + 2));
  const isFraction =
    /\d/.test(first ?? "") && /\d[.,]$/.test(text.slice(Math.max(0, start - 2), start));
  const isNegative =
    /\d/.test(first ?? "") && /(?:^|[\s(=:])[-−]$/.test(text.slice(Math.max(0, start - 2), start));
  return !isDigit && !isFraction && !isNegative;
}
