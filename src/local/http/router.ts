/** Finds a request's handler by method and path. */

import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { refusal } from "./refusal.ts";
import type { Reply } from "./reply.ts";

export interface ServiceRequest {
  /** Decoded values of the `{name}` segments. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Case-insensitive; empty if absent. */
  header(name: string): string;
  readonly body: Uint8Array;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export type Handler = (request: ServiceRequest) => Reply | Promise<Reply>;

/** Handlers by `METHOD /path`, where a segment may be a `{name}`. */
export type Routes = Readonly<Record<string, Handler>>;

export interface Match {
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
}

/** Returns a function that finds a handler, or null. @throws AppError `http-refused` 405 if the path only has other methods */
export function createRouter(routes: Routes): (method: string, path: string) => Match | null {
  const table = Object.entries(routes).map(([route, handler]) => {
    const [method = "", pattern = ""] = route.split(" ");
    return { method, segments: pattern.split("/"), handler };
  });
  return (method, path) => {
    const segments = path.split("/").map(decodeSegment);
    let hasOther = false;
    for (const route of table) {
      if (route.segments.length !== segments.length) continue;
      const params = matchSegments(route.segments, segments);
      if (params === null) continue;
      if (route.method === method) return { handler: route.handler, params };
      hasOther = true;
    }
    if (hasOther) throw refusal(405, "Method Not Allowed");
    return null;
  };
}

/** @throws AppError `http-refused` 400 if the body is not a JSON object */
export function jsonBody(request: ServiceRequest): JsonObject {
  const parsed = parseJson(new TextDecoder().decode(request.body));
  if (parsed === null || !isJsonObject(parsed.value)) {
    throw refusal(400, "The request body is not a JSON object.");
  }
  return parsed.value;
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] ?? "";
    if (expected.startsWith("{")) params[expected.slice(1, -1)] = actual;
    else if (expected !== actual) return null;
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refusal(400, `The path segment ${segment} is not valid percent-encoding.`);
  }
}
