/** Which faults are a server's answer to a probe, and not faults that the run itself would meet. */

import { errorMessage, isAppError } from "../errors.ts";

const REFUSALS = [
  "tinker-request-failed",
  "tinker-bad-request",
  "tinker-not-found",
  "tinker-conflict",
  "tinker-protocol",
] as const;

export interface Refusal {
  /** What the server said, without the advice that errors of a run end in. */
  readonly refusal: string;
}

/** The answer, or why the server, which was reached, refuses it. @throws what `answer` throws otherwise */
export async function answerOrRefusal<Answer>(answer: Promise<Answer>): Promise<Answer | Refusal> {
  try {
    return await answer;
  } catch (error) {
    if (!isAppError(error, ...REFUSALS)) throw error;
    const detail = error.data["detail"];
    return { refusal: typeof detail === "string" && detail !== "" ? detail : errorMessage(error) };
  }
}
