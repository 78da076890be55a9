/** `choice`: one of the row's choices, by letter or text. */

import { finalAnswer } from "./finalAnswer.ts";
import { answerText, type Grader, type Reference } from "./grader.ts";
import { isSameText } from "./normalize.ts";

/** One choice per letter. */
export const MAX_CHOICES = 26;
/** `B`, `b`, `(B)`, `B.`, `B)`, `B:`, and any of these before the text of the choice. */
const LETTER = /^\(?([a-z])(?:\)|[.:]|$)/i;

/** The choices as listed in the prompt, one per line. */
export function listChoices(choices: readonly string[]): string {
  return choices.map((choice, index) => `${letterOf(index)}) ${choice}`).join("\n");
}

export function choiceGrader(isCaseSensitive: boolean): Grader {
  const find = (text: string, choices: readonly string[]): number => {
    const exact = choices.findIndex((choice) => isSameText(text, choice, isCaseSensitive));
    if (exact >= 0) return exact;
    const match = LETTER.exec(text);
    const index = (match?.[1] ?? "").toUpperCase().charCodeAt(0) - A;
    const choice = match === null ? undefined : choices[index];
    if (match === null || choice === undefined) return -1;
    const rest = text.slice(match[0].length).trim();
    return rest === "" || isSameText(rest, choice, isCaseSensitive) ? index : -1;
  };
  const rightIndex = (reference: Reference): number => {
    const { answer, choices } = reference;
    const byText = find(answerText(reference).trim(), choices ?? []);
    if (byText >= 0 || typeof answer !== "number") return byText;
    return Number.isInteger(answer) && answer < (choices?.length ?? 0) ? answer : -1;
  };
  return {
    fault(reference) {
      if (reference.choices === null) return "cannot be graded as a choice: the row has no choices";
      return rightIndex(reference) < 0
        ? "is not among the choices: write the text, the letter, or the position from 0 as a number"
        : null;
    },
    isRight(answer, reference) {
      const index = find(finalAnswer(answer), reference.choices ?? []);
      return index >= 0 && index === rightIndex(reference);
    },
    rule: "Answer with the letter or the text of one choice.",
  };
}

const A = "A".charCodeAt(0);

function letterOf(index: number): string {
  return String.fromCharCode(A + index);
}
