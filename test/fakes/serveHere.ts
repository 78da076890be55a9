/** Servers on free ports of this computer, and forwarding of requests from one to another. */

import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

export interface Served {
  readonly url: string;
  /** Also ends open connections. */
  close(): void;
}

export async function serveHere(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  const url = await listenAnywhere(server);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url, close };
}

export interface RefusingServer extends Served {
  /** Each request with headers and body, as JSON. */
  readonly requests: readonly string[];
}

/** Refuses every request. */
export async function serveRefusals(): Promise<RefusingServer> {
  const requests: string[] = [];
  const served = await serveHere(async (asked, answer) => {
    requests.push(JSON.stringify([asked.method, asked.url, asked.headers, await text(asked)]));
    answer.writeHead(401).end("{}");
  });
  return { ...served, requests };
}

/** Listens on a free port of this computer. */
export async function listenAnywhere(server: NetServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is never a string.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Overrides for a forwarded request. */
export interface SentAs {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer;
}

/** Forwards a request to the server at `target` and returns the response, whose body may still be arriving. */
export function sendOn(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  as: SentAs = {},
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(target);
  const { method = incoming.method, path = incoming.url, headers = incoming.headers, body } = as;
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, resolve);
    sent.on("error", reject);
    // If the client disconnects, the forwarded request is aborted too.
    outgoing.once("close", () => sent.destroy());
    if (body === undefined) incoming.pipe(sent);
    else sent.end(body);
  });
}

/** Streams a response back as it arrives. */
export async function passBack(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, outgoing);
}
