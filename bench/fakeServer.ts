/** A low-overhead HTTP server on a socket, for the benchmarks' fake services. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** Thousands of rollouts connect at once. */
const BACKLOG = 8_192;
const KEEP_ALIVE_MS = 60_000;

export interface FakeCall {
  /** Without the query. */
  readonly path: string;
  readonly body: Buffer;
  header(name: string): string;
}

export interface FakeReply {
  readonly contentType: string;
  /** Complete, or in the chunks in which it is sent. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

/** Null = the server has no such path. */
export type FakeAnswer = (call: FakeCall) => Promise<FakeReply | null>;

export function jsonReply(value: object): FakeReply {
  return { contentType: "application/json", body: JSON.stringify(value) };
}

/** Resolves once it listens on `socketPath`. */
export async function serveFake(socketPath: string, answer: FakeAnswer): Promise<void> {
  const server = createServer((request, response) => {
    exchange(request, response, answer).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path: socketPath, backlog: BACKLOG }, resolve);
  });
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  answer: FakeAnswer,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const reply = await answer({
    path: (request.url ?? "").split("?")[0] ?? "",
    body: Buffer.concat(parts),
    header: (name) => String(request.headers[name] ?? ""),
  });
  const { contentType, body } = reply ?? jsonReply({ detail: "Not Found" });
  response.statusCode = reply === null ? 404 : 200;
  response.setHeader("content-type", contentType);
  if (typeof body === "string" || body instanceof Uint8Array) {
    response.setHeader("content-length", Buffer.byteLength(body)).end(body);
    return;
  }
  for await (const piece of body) response.write(piece);
  response.end();
}
