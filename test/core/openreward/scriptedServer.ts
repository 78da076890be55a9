/** An HttpClient that plays an ORS server from a script, and records its requests. */

import { AppError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../../src/core/ports.ts";
import { untilAborted } from "../../fakes/fakeHttp.ts";

/** What a stream does after its text: it ends, fails, or hangs without a byte until the request is aborted. */
export type StreamEnd = "end" | "break" | "hang";

export type Answer = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export interface SeenRequest {
  readonly line: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | null;
}

export const sid = "7f0c6e0e-8d2b-4b0e-9f55-0a4b6f1f2c11";

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (request) => respond(request, status, [JSON.stringify(body)], "end", headers);
}

export function stream(text: string | readonly string[], end: StreamEnd = "end"): Answer {
  const parts = typeof text === "string" ? [text] : text;
  return (request) => respond(request, 200, parts, end, {});
}

/** A complete streamed reply with the result `value`. */
export function result(value: unknown): Answer {
  return stream(`event: task_id\ndata: job1\n\nevent: end\ndata: ${JSON.stringify(value)}\n\n`);
}

export function starting(): Answer {
  return json(503, { detail: "starting" }, { "x-backend-state": "starting", "retry-after": "2" });
}

/** The connection breaks before an answer; `sent` says whether the request may have arrived. */
export function broken(sent: boolean): Answer {
  return () => {
    throw new AppError("transport", "connection reset", { data: { sent } });
  };
}

/** The head of an answer arrives, but its body is cut off. */
export function cut(status: number): Answer {
  return () => ({
    ...respondWith(status, () => Promise.reject(transportCut())),
    stream: async function* () {
      yield new Uint8Array();
      throw transportCut();
    },
  });
}

/** The request is accepted, but not even the head of an answer arrives. */
export function silent(): Answer {
  return (request) => untilAborted(request.signal);
}

/** The head of an answer arrives, then nothing until the request is aborted. */
export function hanging(): Answer {
  return (request) => ({
    ...respondWith(200, () => untilAborted(request.signal)),
    stream: async function* () {
      yield new Uint8Array();
      await untilAborted(request.signal);
    },
  });
}

function respondWith(
  status: number,
  read: () => Promise<never>,
): Pick<HttpResponse, "status" | "header" | "bytes" | "text"> {
  return { status, header: () => null, bytes: read, text: read };
}

function transportCut(): AppError {
  return new AppError("transport", "cut", { data: { sent: true } });
}

/** A tool result with defaults. */
export function output(fields: JsonObject): JsonObject {
  const defaults = { blocks: [], metadata: null, reward: null, finished: false };
  return { ok: true, output: { ...defaults, ...fields } };
}

const DEFAULTS: Readonly<Record<string, Answer>> = {
  "POST /create_session": stream(`event: task_id\ndata: ${sid}\n\nevent: end\ndata: \n\n`),
  "POST /create": json(200, { sid }),
  "POST /ping": json(200, { status: "ok" }),
  "POST /delete": json(200, { sid }),
  "POST /delete_session": json(200, { sid }),
};

/** Answers each path with its script's entries in order, repeating the last; other paths answer like a healthy server. */
export class ScriptedServer implements HttpClient {
  readonly seen: SeenRequest[] = [];
  readonly #script: Readonly<Record<string, readonly Answer[]>>;
  readonly #positions = new Map<string, number>();

  constructor(script: Readonly<Record<string, readonly Answer[]>> = {}) {
    this.#script = script;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    const line = `${request.method} ${new URL(request.url).pathname}`;
    const body = typeof request.body === "string" ? JSON.parse(request.body) : null;
    this.seen.push({ line, url: request.url, headers: request.headers ?? {}, body });
    const answers = this.#script[line] ?? [];
    const position = this.#positions.get(line) ?? 0;
    this.#positions.set(line, position + 1);
    const answer = answers[Math.min(position, answers.length - 1)] ?? DEFAULTS[line];
    return (answer ?? json(404, { detail: "Not Found" }))(request);
  }

  /** Requests with this method and path. */
  requests(line: string): readonly SeenRequest[] {
    return this.seen.filter((request) => request.line === line);
  }
}

function respond(
  request: HttpRequest,
  status: number,
  parts: readonly string[],
  end: StreamEnd,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const bytes = parts.map((part) => new TextEncoder().encode(part));
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* bytes;
    if (end === "break") throw transportCut();
    if (end === "hang") await untilAborted(request.signal);
  }
  return {
    status,
    header: (name) => headers[name.toLowerCase()] ?? null,
    bytes: async () => bytes[0] ?? new Uint8Array(),
    text: async () => parts.join(""),
    stream: body,
  };
}
