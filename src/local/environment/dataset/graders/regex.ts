/** `regex`: the correct answer is a pattern. */

import { createContext, Script } from "node:vm";
import { errorMessage } from "../../../../core/errors.ts";
import { finalAnswer, lastLine } from "./finalAnswer.ts";
import { answerText, type Grader } from "./grader.ts";

/** Longer answers are wrong. */
const MAX_CHARACTERS = 10_000;
/** A pattern that takes longer on an answer counts as not matching. */
const MAX_MS = 100;

/**
 * The pattern must match the whole answer. File and model are both untrusted, and some patterns take exponential time, so each match
 * runs in its own context, which the JavaScript engine can interrupt.
 */
export function regexGrader(isCaseSensitive: boolean): Grader {
  const flags = isCaseSensitive ? "su" : "isu";
  return {
    fault(reference) {
      try {
        new RegExp(answerText(reference), flags);
        return null;
      } catch (error) {
        return `is not a regular expression: ${errorMessage(error).slice(0, 200)}`;
      }
    },
    isRight(answer, reference) {
      const pattern = `^(?:${answerText(reference)})$`;
      const given = new Set([finalAnswer(answer), lastLine(answer)]);
      return [...given].some(
        (each) => each.length <= MAX_CHARACTERS && matches(pattern, flags, each),
      );
    },
    rule: "The answer must have the requested form, and nothing else.",
  };
}

const TEST = new Script("new RegExp(pattern, flags).test(text)");

function matches(pattern: string, flags: string, text: string): boolean {
  try {
    const context = createContext({ pattern, flags, text });
    return TEST.runInContext(context, { timeout: MAX_MS }) === true;
  } catch {
    return false;
  }
}
