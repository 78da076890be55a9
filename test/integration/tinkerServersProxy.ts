/** A reverse proxy that serves a server under a path prefix, as gateways do, and may modify requests and answers. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { passBack, type Served, sendOn, serveHere } from "../fakes/serveHere.ts";

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
  /** The redirect target. */
  readonly location?: string;
}

/** Modifies whole requests and answers; event streams cannot pass through it. */
export interface Filter {
  /** The request for the server, or an answer in its place. */
  request(passing: PassingRequest): PassingRequest | PassingAnswer;
  /** `to` is the request as the client sent it. */
  answer(answer: PassingAnswer, to: PassingRequest): PassingAnswer;
}

export interface GatewayOptions {
  /** The address of the server behind the proxy. */
  readonly upstream: string;
  /** Begins with a slash, or is empty. */
  readonly prefix: string;
  /** Absent = everything passes unchanged and unbuffered. */
  readonly filter?: Filter;
}

/** Its `url` includes the prefix. */
export interface Gateway extends Served {
  /** Requested paths under the prefix, without it. */
  readonly asked: readonly string[];
  /** Requested paths outside the prefix. */
  readonly strays: readonly string[];
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { upstream, prefix, filter } = options;
  const asked: string[] = [];
  const strays: string[] = [];
  const served = await serveHere((incoming, outgoing) => {
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
        ? sendOn(upstream, incoming, outgoing, { path }).then((answer) =>
            passBack(answer, outgoing),
          )
        : passThrough(filter, upstream, path, incoming, outgoing);
    passing.catch(() => outgoing.destroy());
  });
  return { ...served, url: `${served.url}${prefix}`, asked, strays };
}

async function passThrough(
  filter: Filter,
  upstream: string,
  path: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", headers } = incoming;
  const asked = { method, path, headers, body: await buffer(incoming) };
  const passing = filter.request(asked);
  if ("status" in passing) return send(outgoing, passing);
  const length = { "content-length": String(passing.body.length) };
  const sent = { ...passing, headers: { ...passing.headers, ...length } };
  const answer = await sendOn(upstream, incoming, outgoing, sent);
  const whole = {
    status: answer.statusCode ?? 502,
    type: answer.headers["content-type"] ?? "application/json",
    body: await buffer(answer),
  };
  send(outgoing, filter.answer(whole, asked));
}

function send(outgoing: ServerResponse, { status, type, body, location }: PassingAnswer): void {
  const redirect = location === undefined ? {} : { Location: location };
  outgoing.writeHead(status, { "Content-Type": type, "Content-Length": body.length, ...redirect });
  outgoing.end(body);
}
