/** The HTTP side of every server of this program: keys, body limits, routing, and answers with a length. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { errorMessage, isAppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Log } from "../../core/ports.ts";
import { isLoopbackHost } from "../../core/util/loopback.ts";
import { refusal } from "./refusal.ts";
import { jsonReply, type Reply } from "./reply.ts";
import { createRouter, type Routes } from "./router.ts";
import { sameSecret } from "./sameSecret.ts";

/** Polls are held for 30 s; an idle connection must outlive one. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_TIMEOUT_MS = 70_000;
const MAX_BODY_BYTES = 64 * 2 ** 20;
/** Secrets in a header can exceed Node's default of 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;
const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;
const PORT = /:\d+$/;

export interface HttpServerOptions {
  readonly routes: Routes;
  /** Routes that are answered without the key; no path is in both. */
  readonly openRoutes?: Routes;
  /** What X-API-Key must hold, or Authorization as a bearer; null accepts anything. */
  readonly key: string | null;
  readonly log: Log;
  readonly maxBodyBytes?: number;
  /** What every path begins with, such as `/api/v1`; absent = nothing. */
  readonly prefix?: string;
  /** Throws a refusal for a request that must not be answered at all. */
  readonly admit?: (request: IncomingMessage) => void;
  /** Of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of an answer that refuses a request or reports a fault; absent = `{"detail": …}`. */
  readonly errorBody?: ErrorBody;
}

/** `path` is that of the request, without the prefix. */
export type ErrorBody = (fault: {
  readonly status: number;
  readonly detail: Json;
  readonly path: string;
}) => Json;

/** A server that does not listen yet. Unknown routes become a 404. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { key, log, maxBodyBytes = MAX_BODY_BYTES, prefix = "", headers = {} } = options;
  const { errorBody = ({ detail }) => ({ detail }) } = options;
  const find = createRouter(options.routes);
  const findOpen = createRouter(options.openRoutes ?? {});

  async function answer(request: IncomingMessage, signal: AbortSignal): Promise<Reply> {
    options.admit?.(request);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : "";
    const method = request.method ?? "GET";
    const open = findOpen(method, path);
    if (
      open === null &&
      key !== null &&
      !sameSecret(
        keyIn((name) => header(request, name)),
        key,
      )
    ) {
      throw refusal(
        401,
        "Neither X-API-Key nor Authorization as a bearer contains the key of this server.",
      );
    }
    const match = open ?? find(method, path);
    const body = await readBody(request, maxBodyBytes);
    if (match === null) throw refusal(404, "Not Found");
    return match.handler({
      params: match.params,
      query: searchParams,
      header: (name) => header(request, name),
      body,
      signal,
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      await send(response, await answer(request, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      const url = request.url?.replace(prefix, "") ?? "";
      if (!isAppError(error, "http-refused", "invalid-request")) {
        log.error("request failed", { url, error: errorMessage(error) });
      }
      if (response.headersSent) response.destroy();
      else {
        const { status, detail } = faultOf(error);
        const [path = ""] = url.split("?");
        await send(response, jsonReply(errorBody({ status, detail, path }), status));
      }
    }
  }

  const server = createServer(
    { noDelay: true, maxHeaderSize: MAX_HEADER_BYTES },
    (request, response) => {
      // `serve` answers every fault itself, so that its promise never rejects.
      void serve(request, response);
    },
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  return server;
}

/**
 * Refuses a request that reached a loopback address under another name: a web page may have its own name lead here, and read what
 * is answered (DNS rebinding). Sockets and pipes have no such names. @throws AppError `http-refused` 403
 */
export function admitLoopbackNames({ socket, headers }: IncomingMessage): void {
  const host = (headers.host ?? "").replace(PORT, "").toLowerCase();
  if (!LOOPBACK_ADDRESS.test(socket.localAddress ?? "") || isLoopbackHost(host)) return;
  throw refusal(403, "The Host header does not name this machine.");
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of request) {
    // A request without an encoding yields buffers.
    const bytes = chunk as Buffer;
    total += bytes.length;
    // The rest is read anyway: leaving the loop would end the connection before the answer.
    if (total <= maxBytes) chunks.push(bytes);
  }
  if (total > maxBytes) throw refusal(413, `The request body exceeds ${maxBytes} bytes.`);
  return Buffer.concat(chunks);
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  if (response.destroyed) return;
  if ("stream" in reply) return reply.stream(response);
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (reply.contentType !== null) {
    response.setHeader("Content-Type", reply.contentType);
    response.setHeader("Content-Length", reply.body.byteLength);
  }
  response.end(reply.body);
}

function faultOf(error: unknown): { readonly status: number; readonly detail: Json } {
  // `refusal` is the only maker of this code.
  if (isAppError(error, "http-refused")) return error.data as ReturnType<typeof faultOf>;
  if (isAppError(error, "invalid-request")) return { status: 400, detail: error.message };
  return { status: 500, detail: "Internal error. See the log." };
}

/** The key that a request has in its headers; empty where there is none. */
export function keyIn(header: (name: string) => string): string {
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(header("authorization")) ?? [];
  return header("x-api-key") || bearer;
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name.toLowerCase()];
  return typeof value === "string" ? value : "";
}
