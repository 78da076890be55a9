/** The record of how an attempt ended, stored in the run folder. */

import { errorMessage, isAppError } from "../../core/errors.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { BUDGET_ENDS } from "../../core/training/run/budgets.ts";
import type { RunEnding } from "../../shared/runFile.ts";
import type { TrainerOptions } from "./runPlan.ts";

/** Longer than any message to users. */
const MAX_CHARACTERS = 4_000;

/** `error` is what ended the run, or the reason of its stop. */
export function runEnding(error: unknown, redactor: Redactor): RunEnding {
  const message = isAppError(error)
    ? error.message
    : `This is a bug in Tinker RL, not in your setup: ${errorMessage(error)} Report it. A resume continues from the last save.`;
  return {
    code: isAppError(error) ? error.code : "bug",
    message: redactor.redact(message).slice(0, MAX_CHARACTERS),
  };
}

/** Records what ended the attempt. A full disk must not hide the cause; without the record the run counts as interrupted. */
export async function recordFailure(
  lease: RunLease,
  cause: unknown,
  { log, redactor }: Pick<TrainerOptions, "log" | "redactor">,
): Promise<void> {
  const phase = isAppError(cause, "stopped", ...BUDGET_ENDS) ? "stopped" : "failed";
  const ending = runEnding(cause, redactor);
  await lease.end({ phase, ending }).catch((fault: unknown) => {
    log.warn("The end of the run could not be recorded.", { reason: errorMessage(fault) });
  });
}
