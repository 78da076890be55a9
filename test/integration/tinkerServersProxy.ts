/** A reverse proxy that offers a server on a socket under a path prefix, as gateways do. */

import { createServer, request } from "node:http";
import { pipeline } from "node:stream/promises";
import { listenAnywhere } from "./tinkerServersStub.ts";

export interface Gateway {
  /** With the prefix. */
  readonly url: string;
  close(): void;
}

export async function startGateway(socketPath: string, prefix: string): Promise<Gateway> {
  const server = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const path = url.slice(prefix.length);
    const forwarded = request({ socketPath, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  return { url: `${await listenAnywhere(server)}${prefix}`, close: () => server.close() };
}
