/** The error by which a handler refuses a request with an HTTP status. */

import type { z } from "zod";
import type { Json } from "../../../core/json.ts";

/** Ends a request with `status` and the body `{"detail": ...}`. */
export class HttpFault extends Error {
  readonly status: number;
  readonly detail: Json;

  constructor(status: number, detail: Json) {
    super(typeof detail === "string" ? detail : JSON.stringify(detail));
    this.name = "HttpFault";
    this.status = status;
    this.detail = detail;
  }
}

/** The 422 of a body that breaks its schema, in the shape the official clients print. */
export function invalidBody(issues: readonly z.core.$ZodIssue[]): HttpFault {
  return new HttpFault(
    422,
    issues.map((issue) => ({
      type: issue.code ?? "invalid",
      loc: ["body", ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
      msg: issue.message,
      input: null,
    })),
  );
}
