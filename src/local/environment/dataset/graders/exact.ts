/** `exact`: identical text. */

import { finalAnswer, lastLine } from "./finalAnswer.ts";
import { answerText, type Grader } from "./grader.ts";
import { isSameText } from "./normalize.ts";

/** Compares after NFKC and white-space normalization. A multi-line correct answer is compared with the whole text. */
export function exactGrader(isCaseSensitive: boolean): Grader {
  return {
    fault: () => null,
    isRight(answer, reference) {
      const expected = answerText(reference).trim();
      const given = /[\n\r]/.test(expected) ? [answer] : [finalAnswer(answer), lastLine(answer)];
      return given.some((each) => isSameText(each, expected, isCaseSensitive));
    },
    rule: isCaseSensitive
      ? "Spacing does not matter; upper and lower case do."
      : "Spacing and letter case do not matter.",
  };
}
