/** Reads and checks a request's bounded body, its session id and its secrets header. */

import type { IncomingMessage } from "node:http";
import * as z from "zod";
import { parseJson } from "../../../core/util/jsonl.ts";
import { HttpFault, invalidBody } from "./fault.ts";

/** Most bytes of a request body. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

const secretsHeader = z.record(z.string(), z.object({ value: z.string() }));

/** Reads the whole body as text. @throws HttpFault 413 above 8 MiB. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    // The stream has no encoding set, so its chunks are buffers.
    const bytes = chunk as Buffer;
    length += bytes.length;
    // The rest is read anyway: leaving the loop would end the connection before the answer.
    if (length <= MAX_BODY_BYTES) chunks.push(bytes);
  }
  if (length > MAX_BODY_BYTES) {
    throw new HttpFault(413, `Request body exceeds ${MAX_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads a JSON body of the given shape. @throws HttpFault 422 when it is not JSON or of another shape, 413 */
export async function readBody<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(readJson(await readText(request)));
  if (!parsed.success) throw invalidBody(parsed.error.issues);
  return parsed.data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpFault(422, [
      { type: "json_invalid", loc: ["body"], msg: "The body is not JSON", input: null },
    ]);
  }
}

/** @throws HttpFault 400 when the header is absent. */
export function sessionId(request: IncomingMessage): string {
  const sid = request.headers["x-session-id"];
  if (typeof sid !== "string" || sid === "") {
    throw new HttpFault(400, "X-Session-ID header is required");
  }
  return sid;
}

/** Embedded environments use no secrets, but a broken header is the caller's mistake. @throws HttpFault 400 */
export function checkSecrets(request: IncomingMessage): void {
  const header = request.headers["x-secrets"];
  if (typeof header !== "string") return;
  const text = Buffer.from(header, "base64").toString("utf8");
  if (!secretsHeader.safeParse(parseJson(text)?.value).success) {
    throw new HttpFault(400, "X-Secrets is not base64 of a JSON object of secrets");
  }
}
