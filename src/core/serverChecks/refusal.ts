/** Which faults are a server's answer to a probe, and not trouble that the run itself would have. */

import { errorMessage, isAppError } from "../errors.ts";

/** True when the server was reached and would not, or cannot, do what it was asked for. */
export function isRefusal(error: unknown): boolean {
  return isAppError(
    error,
    ...["tinker-request-failed", "tinker-bad-request", "tinker-not-found"],
    ...["tinker-conflict", "tinker-protocol"],
  );
}

/** What the server said, without the advice that errors of a run end in. */
export function refusalWords(error: unknown): string {
  const detail = isAppError(error) ? error.data["detail"] : undefined;
  return typeof detail === "string" && detail !== "" ? detail : errorMessage(error);
}
