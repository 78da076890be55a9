/** A proxy before a service that exports weights: cuts connections, rejects addresses, and changes the list of files. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Served, sendOn, serveHere } from "../fakes/serveHere.ts";

export interface Asked {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly key: string | null;
  readonly range: string | null;
  readonly body: string;
}

/** What to do with the next answer that is a weights file. */
export type Fault = { readonly cutAfter: number } | { readonly status: number };

export interface ExportProxy extends Served {
  readonly asked: Asked[];
  /** Consumed one by one; after that everything passes. */
  faults: Fault[];
  /** Changes the answer that lists the files. */
  rewrite(text: string): string;
  /** Requests whose path ends this way. */
  requestsTo(end: string): readonly Asked[];
}

export async function startExportProxy(target: string): Promise<ExportProxy> {
  const asked: Asked[] = [];
  const served = await serveHere((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const proxy: ExportProxy = {
    ...served,
    asked,
    faults: [],
    rewrite: (text) => text,
    requestsTo: (end) => asked.filter(({ path }) => path.endsWith(end)),
  };
  return proxy;

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = incoming;
    const path = new URL(url, "http://localhost").pathname;
    const { range = null } = headers;
    const sent = await buffer(incoming);
    const key = headers["x-api-key"]?.toString() ?? null;
    asked.push({ method, path, key, range, body: sent.toString() });
    // Keeps the proxy's host so that signed addresses lead through it.
    const answer = await sendOn(target, incoming, outgoing, { body: sent });
    const body = await buffer(answer);
    const status = answer.statusCode ?? 502;
    if (path.endsWith("/external_weights_urls")) {
      const text = proxy.rewrite(body.toString());
      outgoing.writeHead(status, { "content-type": "application/json" }).end(text);
      return;
    }
    const fault = path.endsWith(".safetensors") ? proxy.faults.shift() : undefined;
    if (fault !== undefined && "status" in fault) {
      outgoing.writeHead(fault.status).end();
      return;
    }
    outgoing.writeHead(status, answer.headers);
    if (fault === undefined) {
      outgoing.end(body);
      return;
    }
    outgoing.write(body.subarray(0, fault.cutAfter), () => outgoing.destroy());
  }
}
