/** The HTTP side of the service: keys, body limits, routing, and answers with a length. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { errorMessage, isAppError } from "../../../../core/errors.ts";
import type { Json } from "../../../../core/json.ts";
import type { Log } from "../../../../core/ports.ts";
import { sameSecret } from "../../../sameSecret.ts";
import { refusal } from "./faults.ts";
import { jsonReply, type Reply } from "./reply.ts";
import { createRouter, type Routes } from "./router.ts";

const PREFIX = "/api/v1";
/** Polls are held for 30 s; an idle connection must outlive one. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_TIMEOUT_MS = 70_000;
const MAX_BODY_BYTES = 64 * 2 ** 20;

export interface HttpServerOptions {
  readonly routes: Routes;
  /** Routes that check a signature instead of the key. */
  readonly signedRoutes?: Routes;
  /** What X-API-Key must hold; null accepts anything. */
  readonly key: string | null;
  readonly log: Log;
  readonly maxBodyBytes?: number;
}

/** A server that does not listen yet. Faults become `{"detail": …}`; unknown routes a 404. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { key, log, maxBodyBytes = MAX_BODY_BYTES } = options;
  const find = createRouter(options.routes);
  const findSigned = createRouter(options.signedRoutes ?? {});

  async function answer(request: IncomingMessage, signal: AbortSignal): Promise<Reply> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.startsWith(`${PREFIX}/`) ? pathname.slice(PREFIX.length) : "";
    const method = request.method ?? "GET";
    const signed = findSigned(method, path);
    if (signed === null && key !== null && !sameSecret(header(request, "x-api-key"), key)) {
      throw refusal(401, "The X-API-Key header does not contain the key of this server.");
    }
    const match = signed ?? find(method, path);
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
      send(response, await answer(request, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      if (!isAppError(error, "http-refused", "invalid-request")) {
        log.error("request failed", { url: request.url, error: errorMessage(error) });
      }
      send(response, errorReply(error));
    }
  }

  const server = createServer({ noDelay: true }, (request, response) => {
    // `serve` answers every fault itself, so that its promise never rejects.
    void serve(request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  return server;
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of request) {
    // A request without an encoding yields buffers.
    const bytes = chunk as Buffer;
    total += bytes.length;
    if (total > maxBytes) throw refusal(413, `The request body exceeds ${maxBytes} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (reply.contentType !== null) {
    response.setHeader("Content-Type", reply.contentType);
    response.setHeader("Content-Length", reply.body.byteLength);
  }
  // What is left of a refused upload must not be read as the next request.
  if (!response.req.complete) response.setHeader("Connection", "close");
  response.end(reply.body);
}

function errorReply(error: unknown): Reply {
  if (isAppError(error, "http-refused")) {
    // `refusal` is the only maker of this code.
    const { status, detail } = error.data as { readonly status: number; readonly detail: Json };
    return jsonReply({ detail }, status);
  }
  if (isAppError(error, "invalid-request")) return jsonReply({ detail: error.message }, 400);
  return jsonReply({ detail: "Internal error. See the log of the engine." }, 500);
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name.toLowerCase()];
  return typeof value === "string" ? value : "";
}
