/** Server replies: complete in memory, so that each has a Content-Length, or streamed. */

import type { ServerResponse } from "node:http";
import type { Json } from "../../core/json.ts";

export type Reply = WholeReply | StreamedReply;

/** A reply that is written while the work is in progress. */
export interface StreamedReply {
  readonly stream: (response: ServerResponse) => Promise<void>;
}

export interface WholeReply {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export const PROTOBUF = "application/x-protobuf";

export function jsonReply(value: Json, status = 200): WholeReply {
  return {
    status,
    contentType: "application/json",
    body: new TextEncoder().encode(JSON.stringify(value)),
  };
}

export function protobufReply(body: Uint8Array): WholeReply {
  return { status: 200, contentType: PROTOBUF, body };
}

export const noContent: WholeReply = { status: 204, contentType: null, body: new Uint8Array(0) };
