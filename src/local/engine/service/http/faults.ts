/** How an operation of the service fails: later, by a failed result. */

import * as z from "zod";
import { AppError, errorMessage, isAppError } from "../../../../core/errors.ts";
import { describeIssues } from "../../../http/refusal.ts";

/** A failed result as the poll reports it: `docs/protocols/tinker.md#futures`. */
export interface Failure {
  readonly error: string;
  readonly category: "user" | "server";
}

/** Codes of faults that the caller made; anything else is the server's. */
const USER_CODES = [
  "invalid-request",
  "http-refused",
  "checkpoint-invalid",
  "tinker-protocol",
  "canceled",
] as const;

/** A mistake of the caller, reported as a failed result of category `user`. */
export function userFault(message: string): AppError {
  return new AppError("invalid-request", message);
}

/** What a poll says about an operation that threw `error`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof z.ZodError) {
    return { error: `InvalidRequest: ${describeIssues(error)}`, category: "user" };
  }
  return {
    error: errorMessage(error),
    category: isAppError(error, ...USER_CODES) ? "user" : "server",
  };
}
