/** `choice`: one of the row's choices, by letter or text. */

import { boxContent, finalAnswer } from "./finalAnswer.ts";
import { answerText, type Grader, type Reference } from "./grader.ts";
import { isSameText } from "./normalize.ts";

/** One choice per letter. */
export const MAX_CHOICES = 26;
/** `B`, `b`, `(B)`, `B.`, `B)`, `B:`, `(B).`, and any of these before the text of the choice. */
const LETTER = /^\(?([a-z])(?:\)[.:]?|[.:]|$)/i;
/** Longer than a letter with its marks. */
const LETTER_SPAN = 5;

/** The choices as listed in the prompt, one per line. */
export function listChoices(choices: readonly string[]): string {
  return choices.map((choice, index) => `${letterOf(index)}) ${choice}`).join("\n");
}

export function choiceGrader(isCaseSensitive: boolean): Grader {
  const isSame = (text: string, choice: string): boolean =>
    isSameText(text, choice, isCaseSensitive) ||
    (text.endsWith(".") && isSameText(text.slice(0, -1), choice, isCaseSensitive));
  const find = (text: string, choices: readonly string[]): number => {
    const exact = choices.findIndex((choice) => isSame(text, choice));
    if (exact >= 0) return exact;
    const plain = text.slice(0, LETTER_SPAN).normalize("NFKC") + text.slice(LETTER_SPAN);
    const match = LETTER.exec(plain);
    const index = (match?.[1] ?? "").toUpperCase().charCodeAt(0) - A;
    const choice = match === null ? undefined : choices[index];
    if (match === null || choice === undefined) return -1;
    const rest = plain.slice(match[0].length).trim();
    return rest === "" || isSame(rest, choice) ? index : -1;
  };
  const rightIndex = (reference: Reference): number => {
    const choices = reference.choices ?? [];
    const byText = find(answerText(reference).trim(), choices);
    return byText >= 0 ? byText : positionOf(reference);
  };
  return {
    fault(reference) {
      const { answer, choices } = reference;
      if (choices === null) return "cannot be graded as a choice: the row has no choices";
      const index = rightIndex(reference);
      if (index < 0) {
        return "is not among the choices: write the text, the letter, or the position from 0";
      }
      const position = positionOf(reference);
      return typeof answer === "number" && position >= 0 && position !== index
        ? `is a choice and also the position of another: write the letter, ${letterOf(index)} or ${letterOf(position)}`
        : null;
    },
    isRight(answer, reference) {
      const choices = reference.choices ?? [];
      const given = finalAnswer(answer);
      const index = find(withoutBox(given), choices);
      return index >= 0 && index === rightIndex(reference);
    },
    rule: "Answer with the letter or the text of one choice.",
  };
}

/** Index of the choice whose position the answer names; -1 if it names none. */
function positionOf(reference: Reference): number {
  const text = answerText(reference).trim();
  return /^\d{1,2}$/.test(text) && Number(text) < (reference.choices?.length ?? 0)
    ? Number(text)
    : -1;
}

/** The answer inside `\boxed{…}` and `\text{…}`, as a model that solves exercises in LaTeX writes it. */
function withoutBox(text: string): string {
  const boxed = boxContent(text) ?? text;
  return /^\\(?:text|textbf|mathrm|mathbf) *\{([^{}]*)\}$/.exec(boxed.trim())?.[1] ?? boxed;
}

const A = "A".charCodeAt(0);

function letterOf(index: number): string {
  return String.fromCharCode(A + index);
}
