/** A local server that records what it receives, and rejects everything. */

import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { listenAnywhere } from "../fakes/serveHere.ts";

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Listener {
  /** `127.0.0.1` with its port. */
  readonly host: string;
  /** Requests so far; a proxy's CONNECT is one. */
  readonly heard: readonly Heard[];
  /** Connections so far, including those without a request. */
  readonly connections: () => number;
  readonly close: () => void;
}

export async function startListener(): Promise<Listener> {
  const heard: Heard[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    heard.push({ method, url, headers, body: await text(request) });
    response.writeHead(403, { "content-type": "application/json" }).end('{"error":"refused"}');
  });
  server.on("connect", ({ url = "", headers }, socket) => {
    heard.push({ method: "CONNECT", url, headers, body: "" });
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.on("connection", () => {
    connections += 1;
  });
  const { host } = new URL(await listenAnywhere(server));
  return {
    host,
    heard,
    connections: () => connections,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
