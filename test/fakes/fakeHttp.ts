/** An HttpClient that replies from a function and records the requests. */

import { AppError } from "../../src/core/errors.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../src/core/ports.ts";

export interface FakeAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** False = the reply has no Content-Length. */
  readonly hasLength?: false;
}

/** `lost` = no complete reply arrives; `hang` = nothing arrives until the request is aborted. */
export type FakeReply = FakeAnswer | "lost" | "hang";

export class FakeHttp implements HttpClient {
  readonly requests: HttpRequest[] = [];
  readonly #answer: (request: HttpRequest) => FakeReply | Promise<FakeReply>;

  constructor(answer: (request: HttpRequest) => FakeReply | Promise<FakeReply>) {
    this.#answer = answer;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    this.requests.push(request);
    const reply = await this.#answer(request);
    if (reply === "lost") throw new AppError("transport", "connection reset");
    if (reply === "hang") return await untilAborted(request.signal);
    return responseOf(reply);
  }
}

/** The request's JSON body; untyped, since tests only compare it. */
export function jsonBody(request: HttpRequest): Readonly<Record<string, unknown>> {
  return isJson(request) ? JSON.parse(Buffer.from(request.body ?? "").toString()) : {};
}

export function isJson({ headers = {} }: HttpRequest): boolean {
  const type = headers["Content-Type"] ?? headers["content-type"];
  return type === "application/json";
}

function responseOf(answer: FakeAnswer): HttpResponse {
  const bytes = bytesOf(answer);
  const headers: Record<string, string> = {
    "content-type": answer.bytes ? "application/x-protobuf" : "application/json",
    ...(answer.hasLength !== false && { "content-length": String(bytes.byteLength) }),
    ...answer.headers,
  };
  return {
    status: answer.status ?? 200,
    header: (name) => headers[name.toLowerCase()] ?? null,
    bytes: async () => bytes,
    text: async () => new TextDecoder().decode(bytes),
    stream: async function* () {
      yield bytes;
    },
  };
}

function bytesOf({ bytes, text, json }: FakeAnswer): Uint8Array {
  if (bytes !== undefined) return bytes;
  return new TextEncoder().encode(text ?? (json === undefined ? "" : JSON.stringify(json)));
}

/** Never resolves; rejects with the reason of `signal`. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}
