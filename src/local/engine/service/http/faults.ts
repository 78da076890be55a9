/** Failures of the service's operations, which are delivered later as failed results. */

import * as z from "zod";
import { AppError, errorMessage, isAppError } from "../../../../core/errors.ts";
import { describeIssues } from "../../../http/refusal.ts";

/** A failed result as reported by polls: `docs/protocols/tinker.md#futures`. */
export interface Failure {
  readonly error: string;
  readonly category: "user" | "server";
}

/** Codes of errors caused by the caller; all others are the server's. */
const USER_CODES = [
  "invalid-request",
  "http-refused",
  "checkpoint-invalid",
  "tinker-protocol",
  "canceled",
] as const;

/** An error caused by the caller, reported as a failed result of category `user`. */
export function userFault(message: string): AppError {
  return new AppError("invalid-request", message);
}

/** Converts an error to the failure that polls report. */
export function toFailure(error: unknown): Failure {
  if (error instanceof z.ZodError) {
    return { error: `InvalidRequest: ${describeIssues(error)}`, category: "user" };
  }
  return {
    error: errorMessage(error),
    category: isAppError(error, ...USER_CODES) ? "user" : "server",
  };
}
