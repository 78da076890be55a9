/** Refusals of this program's servers: an HTTP status and the body `{"detail": …}`. */

import type * as z from "zod";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";

/** Refuses a request with an HTTP status; the body contains `issues` if given, else `detail`. */
export function refusal(status: number, detail: string, issues?: readonly Json[]): AppError {
  return new AppError("http-refused", detail, { data: { status, detail: issues ?? detail } });
}

/** @throws AppError `http-refused` with status 422 and a list of issues in FastAPI's format */
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

export function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length === 0 ? "body" : issue.path.join(".")}: ${issue.message}`)
    .join("; ");
}
