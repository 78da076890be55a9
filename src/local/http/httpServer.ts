/** HTTP for all of this program's servers: keys, body limits, routing, and replies with Content-Length. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { errorMessage, isAppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Log } from "../../core/ports.ts";
import { isLoopbackHost } from "../../core/util/loopback.ts";
import { refusal } from "./refusal.ts";
import { jsonReply, type Reply } from "./reply.ts";
import { createRouter, type Routes } from "./router.ts";
import { sameSecret } from "./sameSecret.ts";

/** Polls are held open for 30 s; an idle connection must outlive one. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_TIMEOUT_MS = 70_000;
const MAX_BODY_BYTES = 64 * 2 ** 20;
/** Secrets in a header can exceed Node's default of 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;
const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;
const PORT = /:\d+$/;

export interface HttpServerOptions {
  readonly routes: Routes;
  /** Routes that need no key; disjoint from `routes`. */
  readonly openRoutes?: Routes;
  /** Required value of X-API-Key or of an Authorization bearer; null accepts anything. */
  readonly key: string | null;
  readonly log: Log;
  readonly maxBodyBytes?: number;
  /** Prefix of every path, such as `/api/v1`; absent = none. */
  readonly prefix?: string;
  /** Throws a refusal for requests that must not be served at all. */
  readonly admit?: (request: IncomingMessage) => void;
  /** Added to every reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a reply that refuses a request or reports an error; absent = `{"detail": …}`. */
  readonly errorBody?: ErrorBody;
}

/** `path` is the request's path without the prefix. */
export type ErrorBody = (fault: {
  readonly status: number;
  readonly detail: Json;
  readonly path: string;
}) => Json;

/** A server that is not listening yet. Unknown routes return 404. */
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
      // `serve` replies to every error itself, so its promise never rejects.
      void serve(request, response);
    },
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  return server;
}

/**
 * Refuses requests that reached a loopback address under another host name: a web page could point its own name here and read the
 * replies (DNS rebinding). Sockets and pipes are not affected. @throws AppError `http-refused` 403
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
    // Without an encoding, a request yields buffers.
    const bytes = chunk as Buffer;
    total += bytes.length;
    // Keeps reading, because leaving the loop would close the connection before the reply.
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
  // Only `refusal` creates this code.
  if (isAppError(error, "http-refused")) return error.data as ReturnType<typeof faultOf>;
  if (isAppError(error, "invalid-request")) return { status: 400, detail: error.message };
  return { status: 500, detail: "Internal error. See the log." };
}

/** The key in a request's headers; empty if there is none. */
export function keyIn(header: (name: string) => string): string {
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(header("authorization")) ?? [];
  return header("x-api-key") || bearer;
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name.toLowerCase()];
  return typeof value === "string" ? value : "";
}
