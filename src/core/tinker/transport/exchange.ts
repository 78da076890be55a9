/** One HTTP exchange with a Tinker server: address, headers and body. */

import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import type { HttpClient, HttpResponse } from "../../ports.ts";
import { REPLY_LIMITS } from "../../replyLimits.ts";
import { withoutEnd } from "../../util/textEdges.ts";
import { tinkerError } from "./errors.ts";
import { deprecationNotes } from "./serverMessage.ts";
import type { RequestKind, ServerWatch, ServerWatchOptions } from "./serverWatch.ts";

export interface SenderOptions extends ServerWatchOptions {
  readonly http: HttpClient;
  readonly baseUrl: string;
}

export interface TinkerRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to `/api/v1/`; ids are not escaped. */
  readonly path: string;
  /** The bytes of a message, or a value sent as JSON (undefined members are omitted, null ones are sent). */
  readonly body?: object | Uint8Array | LateJson;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Absent = `work`. */
  readonly kind?: RequestKind;
  readonly signal?: AbortSignal | undefined;
}

/** JSON that is encoded only when sent, so it takes no memory while the request waits for its turn or for the answer. */
export class LateJson {
  readonly encode: () => Uint8Array;

  constructor(encode: () => Uint8Array) {
    this.encode = encode;
  }
}

export const protobufType = "application/x-protobuf";
const defaultTimeoutMs = 60_000;
/** The timeout is extended by the time to send the body at this speed. */
const slowestBytesPerSecond = 16 * 1024;
/** Limit, so that a server that never answers does not hold a large request for long. */
const maxUploadMs = 120_000;

/** @throws AppError `transport` if there is no answer, `tinker-protocol` if it is too long */
export type Sender = (
  key: string,
  request: TinkerRequest,
  idempotencyKey: string,
) => Promise<HttpResponse>;

export function createSender(options: SenderOptions, watch: ServerWatch): Sender {
  const root = `${withoutEnd(options.baseUrl, /\//)}/api/v1/`;
  const noteDeprecation = deprecationNotes(options.onMessage);
  return async (key, request, idempotencyKey) => {
    const encoded = encodedBody(request.body);
    const sending = options.http.send({
      method: request.method,
      url: root + request.path,
      headers: headersOf(request, key, idempotencyKey),
      ...encoded,
      timeoutMs: (request.timeoutMs ?? defaultTimeoutMs) + uploadMs(encoded.body),
      replyLimit: {
        bytes: REPLY_LIMITS.tinker,
        fault: (limit) =>
          tinkerError(
            "tinker-protocol",
            `The answer to ${request.method} ${request.path} is longer than ${limit}`,
          ),
      },
      signal: request.signal,
    });
    const response = await watch.answer(sending, request);
    noteDeprecation(response);
    return response;
  };
}

function headersOf(
  request: TinkerRequest,
  key: string,
  idempotencyKey: string,
): Readonly<Record<string, string>> {
  return withoutUndefined({
    Accept: "application/json",
    "User-Agent": "tinker-rl",
    "X-API-Key": key,
    "X-Idempotency-Key": request.method === "GET" ? undefined : idempotencyKey,
    "Content-Type": contentType(request.body),
    ...request.headers,
  });
}

function contentType(body: TinkerRequest["body"]): string | undefined {
  if (body === undefined) return undefined;
  return body instanceof Uint8Array ? protobufType : "application/json";
}

function encodedBody(body: TinkerRequest["body"]): { readonly body?: string | Uint8Array } {
  if (body === undefined) return {};
  if (body instanceof LateJson) return { body: body.encode() };
  return { body: body instanceof Uint8Array ? body : JSON.stringify(body) };
}

function uploadMs(body: string | Uint8Array = ""): number {
  return Math.min(Math.floor(body.length / slowestBytesPerSecond) * 1000, maxUploadMs);
}
