/** Determines which errors are a server's answer to a check, and not errors that would also affect the run. */

import { errorMessage, isAppError } from "../errors.ts";

const REFUSALS = [
  "tinker-request-failed",
  "tinker-bad-request",
  "tinker-not-found",
  "tinker-conflict",
  "tinker-protocol",
] as const;

export interface Refusal {
  /** The server's message, without the advice added to a run's errors. */
  readonly refusal: string;
}

/** The answer, or why the server refuses it. @throws other errors of `answer` */
export async function answerOrRefusal<Answer>(answer: Promise<Answer>): Promise<Answer | Refusal> {
  try {
    return await answer;
  } catch (error) {
    if (!isAppError(error, ...REFUSALS)) throw error;
    const detail = error.data["detail"];
    return { refusal: typeof detail === "string" && detail !== "" ? detail : errorMessage(error) };
  }
}
