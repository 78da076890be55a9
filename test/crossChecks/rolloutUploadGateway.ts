/** A gateway between a trainer and a service: it drops some answers after the service has accepted the requests, and fakes others. */

import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Served, serveHere } from "../fakes/serveHere.ts";

export interface LosingGateway extends Served {
  /** Answers dropped so far. */
  readonly lost: () => number;
}

/** Every this many requests, one gets a login page with status 200 instead of reaching the service. */
const REQUESTS_A_PAGE = 13;

/** Every `every`th POST is accepted, and its connection breaks before the answer. */
export async function startLosingGateway(upstream: string, every: number): Promise<LosingGateway> {
  let taken = 0;
  let requests = 0;
  const served = await serveHere(async (request, reply) => {
    requests += 1;
    if (requests % REQUESTS_A_PAGE === 0) {
      await buffer(request);
      reply.end("<!doctype html><title>Log in first</title>");
      return;
    }
    const answer = await passOn(upstream, request).catch(() => null);
    const isPost = request.method === "POST" && answer?.status === 200;
    if (isPost) taken += 1;
    if (answer === null || (isPost && taken % every === 0)) {
      request.socket.destroy();
      return;
    }
    const { status, headers, bytes } = answer;
    const retryAfter = headers.get("retry-after");
    reply.writeHead(status, retryAfter === null ? {} : { "retry-after": retryAfter });
    reply.end(bytes);
  });
  return { ...served, lost: () => Math.floor(taken / every) };
}

async function passOn(upstream: string, request: IncomingMessage) {
  const { method = "GET", url = "" } = request;
  const body = await buffer(request);
  const key = request.headers["x-api-key"];
  const headers = {
    "content-type": "application/json",
    ...(typeof key === "string" && { "x-api-key": key }),
  };
  const answer = await fetch(upstream + url, {
    method,
    headers,
    ...(method !== "GET" && { body }),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes };
}
