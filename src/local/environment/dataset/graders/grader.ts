/** Interface of graders, which compare an answer with the correct one. Pure, and linear in the answer's length. */

import type { Json } from "../../../../core/json.ts";

/** The correct answer as stored in the file. */
export interface Reference {
  readonly answer: Json;
  readonly choices: readonly string[] | null;
}

export interface Grader {
  /** True if the correct answer may be any JSON value; otherwise it is a string, number, or boolean. */
  readonly takesJson?: true;
  /** Why a correct answer from the file is unusable, as the end of a sentence; null if it is usable. */
  fault(reference: Reference): string | null;
  /** True if the model's answer is correct. `reference` has no fault; `answer` may be any text. */
  isRight(answer: string, reference: Reference): boolean;
  /** A sentence for the model about the answer format and what is ignored. */
  readonly rule: string;
}

/** The correct answer as text; empty for collections, which only `json` supports. */
export function answerText({ answer }: Reference): string {
  return typeof answer === "object" ? "" : String(answer);
}
