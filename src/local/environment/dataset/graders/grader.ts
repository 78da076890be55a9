/** What a grader is: one way to compare an answer with the right one. Pure, and linear in the length of the answer. */

import type { Json } from "../../../../core/json.ts";

/** What the right answer is, as the file has it. */
export interface Reference {
  readonly answer: Json;
  readonly choices: readonly string[] | null;
}

export interface Grader {
  /** True when the right answer may be any JSON value; otherwise it is a text, number or boolean. */
  readonly takesJson?: true;
  /** Why an answer of the file cannot be graded against, as the end of a sentence; null when it can. */
  fault(reference: Reference): string | null;
  /** Whether an answer of the model is right. `reference` has no fault; `answer` may be any text. */
  isRight(answer: string, reference: Reference): boolean;
  /** What an answer looks like and what is ignored, as a sentence for the model. */
  readonly rule: string;
}

/** The right answer as a text; an empty one for collections, which only `json` takes. */
export function answerText({ answer }: Reference): string {
  return typeof answer === "object" ? "" : String(answer);
}
