/** Stands before a service that gives out weights: cuts connections, refuses addresses, and changes the list of files. */

import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { listenAnywhere } from "./tinkerServersStub.ts";

export interface Asked {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly key: string | null;
  readonly range: string | null;
  readonly body: string;
}

/** What is done with the next answer that is a file of weights. */
export type Fault = { readonly cutAfter: number } | { readonly status: number };

export class ExportProxy {
  address = "";
  readonly asked: Asked[] = [];
  /** Used up one by one; then all passes. */
  faults: Fault[] = [];
  /** Changes the answer that names the files. */
  rewrite: (text: string) => string = (text) => text;
  readonly #server: Server;
  readonly #target: URL;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, outgoing) => {
      this.#pass(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(target: string): Promise<ExportProxy> {
    const proxy = new ExportProxy(target);
    proxy.address = await listenAnywhere(proxy.#server);
    return proxy;
  }

  /** The requests whose path ends so. */
  requestsTo(end: string): readonly Asked[] {
    return this.asked.filter(({ path }) => path.endsWith(end));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = incoming;
    const path = new URL(url, "http://localhost").pathname;
    const { range = null } = headers;
    const sent = await buffer(incoming);
    const key = headers["x-api-key"]?.toString() ?? null;
    this.asked.push({ method, path, key, range, body: sent.toString() });
    const { hostname, port } = this.#target;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // The host stays that of the proxy, so that signed addresses lead through it.
      const passed = request({ hostname, port, method, path: url, headers }, resolve);
      passed.on("error", reject);
      passed.end(sent);
    });
    const body = await buffer(answer);
    const status = answer.statusCode ?? 502;
    if (path.endsWith("/external_weights_urls")) {
      const text = this.rewrite(body.toString());
      outgoing.writeHead(status, { "content-type": "application/json" }).end(text);
      return;
    }
    const fault = path.endsWith(".safetensors") ? this.faults.shift() : undefined;
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
