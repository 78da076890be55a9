/** Answers of the service, complete in memory so that each carries its Content-Length. */

import type { JsonObject } from "../../../../core/json.ts";

export interface Reply {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export const PROTOBUF = "application/x-protobuf";

export function jsonReply(value: JsonObject, status = 200): Reply {
  return {
    status,
    contentType: "application/json",
    body: new TextEncoder().encode(JSON.stringify(value)),
  };
}

export function protobufReply(body: Uint8Array): Reply {
  return { status: 200, contentType: PROTOBUF, body };
}

export const noContent: Reply = { status: 204, contentType: null, body: new Uint8Array(0) };
