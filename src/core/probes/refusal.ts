/** Which faults are a server's answer to a probe, and not trouble that the run itself would have. */

import { isAppError } from "../errors.ts";

/** True when the server was reached and would not, or cannot, do what it was asked for. */
export function isRefusal(error: unknown): boolean {
  return isAppError(
    error,
    ...["tinker-request-failed", "tinker-bad-request", "tinker-not-found"],
    ...["tinker-conflict", "tinker-protocol"],
  );
}
