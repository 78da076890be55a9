/** Reads and validates a request's body, session id, and secrets header. */

import * as z from "zod";
import { parseJson } from "../../../core/util/jsonl.ts";
import { readAs, refusal } from "../../http/refusal.ts";
import type { ServiceRequest } from "../../http/router.ts";

const secretsHeader = z.record(z.string(), z.object({ value: z.string() }));

/** The body's JSON; undefined if it is not JSON. */
export function jsonOf({ body }: ServiceRequest): unknown {
  return parseJson(new TextDecoder().decode(body))?.value;
}

/** Reads a JSON body of the given shape. @throws AppError `http-refused` 422 if it is not JSON or has another shape */
export function readBody<Schema extends z.ZodType>(
  request: ServiceRequest,
  schema: Schema,
): z.infer<Schema> {
  return readAs(schema, jsonOf(request));
}

/** @throws AppError `http-refused` 400 if the header is missing */
export function sessionId({ header }: ServiceRequest): string {
  const sid = header("x-session-id");
  if (sid === "") throw refusal(400, "X-Session-ID header is required");
  return sid;
}

/** Embedded environments use no secrets, but a broken header is the caller's error. @throws AppError `http-refused` 400 */
export function checkSecrets({ header }: ServiceRequest): void {
  const given = header("x-secrets");
  if (given === "") return;
  const text = Buffer.from(given, "base64").toString("utf8");
  if (!secretsHeader.safeParse(parseJson(text)?.value).success) {
    throw refusal(400, "X-Secrets is not base64 of a JSON object of secrets");
  }
}
