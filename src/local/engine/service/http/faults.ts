/** How the service refuses: at once by an HTTP status, or later by a failed result. */

import * as z from "zod";
import { AppError, errorMessage, isAppError } from "../../../../core/errors.ts";
import type { Json } from "../../../../core/json.ts";

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

/** Refuses a request with an HTTP status; `detail` is what the body says. */
export function refusal(status: number, detail: string, issues?: readonly Json[]): AppError {
  return new AppError("http-refused", detail, { data: { status, detail: issues ?? detail } });
}

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

/** @throws AppError `http-refused` with status 422 and the list of issues */
export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({
    loc: ["body", ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
    msg: issue.message,
    type: issue.code,
  }));
  throw refusal(422, describeIssues(result.error), issues);
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length === 0 ? "body" : issue.path.join(".")}: ${issue.message}`)
    .join("; ");
}
