/** A reverse proxy that offers a server under a path prefix, as gateways do, and may change what passes through. */

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { listenAnywhere } from "./tinkerServersStub.ts";

/** Where the server listens. */
export type Upstream =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number };

export interface PassingRequest {
  readonly method: string;
  /** Without the prefix. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PassingAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  /** Where it redirects to. */
  readonly location?: string;
}

/** Changes whole requests and answers; streams of events cannot pass through one. */
export interface Filter {
  /** What continues to the server, or an answer in its place. */
  request(passing: PassingRequest): PassingRequest | PassingAnswer;
  /** `to` is the request as the client sent it. */
  answer(answer: PassingAnswer, to: PassingRequest): PassingAnswer;
}

export interface GatewayOptions {
  readonly upstream: Upstream;
  /** Begins with a slash, or is empty. */
  readonly prefix: string;
  /** Absent = everything passes unchanged, and as it comes. */
  readonly filter?: Filter;
}

export interface Gateway {
  /** With the prefix. */
  readonly url: string;
  /** Paths that were asked for under the prefix, without it. */
  readonly asked: readonly string[];
  /** Paths that were asked for beside the prefix. */
  readonly strays: readonly string[];
  close(): void;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { upstream, prefix, filter } = options;
  const asked: string[] = [];
  const strays: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { url = "" } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      strays.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const path = url.slice(prefix.length);
    asked.push(path);
    const passing =
      filter === undefined
        ? passOn(upstream, path, incoming, outgoing)
        : passThrough(filter, upstream, path, incoming, outgoing);
    passing.catch(() => outgoing.destroy());
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `${await listenAnywhere(server)}${prefix}`, asked, strays, close };
}

/** The server behind an address, for {@link GatewayOptions}. */
export function upstreamOf(url: string): Upstream {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

async function passOn(
  upstream: Upstream,
  path: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method, headers } = incoming;
  const forwarded = request({ ...upstream, path, method, headers });
  const answered = answerTo(forwarded);
  // A client that goes away takes its request with it.
  outgoing.once("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
  const answer = await answered;
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, outgoing);
}

async function passThrough(
  filter: Filter,
  upstream: Upstream,
  path: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", headers } = incoming;
  const asked = { method, path, headers, body: await buffer(incoming) };
  const passing = filter.request(asked);
  if ("status" in passing) return send(outgoing, passing);
  const forwarded = request({
    ...upstream,
    method: passing.method,
    path: passing.path,
    headers: { ...passing.headers, "content-length": String(passing.body.length) },
  });
  outgoing.once("close", () => forwarded.destroy());
  const answered = answerTo(forwarded);
  forwarded.end(passing.body);
  const answer = await answered;
  const whole = {
    status: answer.statusCode ?? 502,
    type: answer.headers["content-type"] ?? "application/json",
    body: await buffer(answer),
  };
  send(outgoing, filter.answer(whole, asked));
}

function answerTo(forwarded: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    forwarded.on("response", resolve);
    forwarded.on("error", reject);
  });
}

function send(outgoing: ServerResponse, { status, type, body, location }: PassingAnswer): void {
  const redirect = location === undefined ? {} : { Location: location };
  outgoing.writeHead(status, { "Content-Type": type, "Content-Length": body.length, ...redirect });
  outgoing.end(body);
}
