/** What a run folder keeps of the end of an attempt, for whoever looks at it later. */

import { errorMessage, isAppError } from "../core/errors.ts";
import type { Redactor } from "../core/secrets/redaction/redactor.ts";
import type { RunEnding } from "../shared/runFile.ts";

/** More than any message for people has. */
const MAX_CHARACTERS = 4_000;

/** `error` is what ended the run, or the reason of its stop. */
export function runEnding(error: unknown, redactor: Redactor): RunEnding {
  const message = isAppError(error)
    ? error.message
    : `This is a fault of the program, not of your set-up: ${errorMessage(error)} Report it; a resume goes on from the last save.`;
  return {
    code: isAppError(error) ? error.code : "bug",
    message: redactor.redact(message).slice(0, MAX_CHARACTERS),
  };
}
