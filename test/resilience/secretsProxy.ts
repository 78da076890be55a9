/** A proxy that requires a password, and repeats it in its rejections. */

import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { listenAnywhere } from "../fakes/serveHere.ts";
import { rudeWords } from "./secretsFakeServices.ts";

export interface Proxy {
  /** The addresses of the services, under names that only the proxy resolves. */
  readonly addresses: Readonly<Record<string, string>>;
  /** The variables that make a program use it. */
  readonly variables: Readonly<Record<string, string>>;
  denies: boolean;
  /** The number of connections it has made. */
  tunnels(): number;
  /** Requested host names. */
  asked(): number;
  close(): void;
}

const USER = "ada";

/** `services` are addresses by the variable that holds them. */
export async function startProxy(
  password: string,
  services: Readonly<Record<string, string>>,
): Promise<Proxy> {
  const names = Object.keys(services);
  const hostOf = (name: string): string => `${name.toLowerCase().replaceAll("_", "-")}.test`;
  const targets = new Map(names.map((name) => [`${hostOf(name)}:80`, services[name] ?? ""]));
  const token = Buffer.from(`${USER}:${password}`).toString("base64");
  const sockets = new Set<Duplex>();
  let tunnels = 0;
  let asked = 0;
  const server = createServer((_, response) => response.writeHead(501).end());
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    asked += 1;
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    const target = targets.get(request.url ?? "");
    const isKnown = request.headers["proxy-authorization"] === `Basic ${token}`;
    if (proxy.denies || !isKnown || target === undefined) {
      const words = rudeWords(password, 0);
      socket.end(`HTTP/1.1 407 ${password}\r\nx-said: ${words}\r\n\r\n${words}`);
      return;
    }
    tunnels += 1;
    const { hostname, port } = new URL(target);
    const onward = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on("error", () => socket.destroy());
  });
  const { host } = new URL(await listenAnywhere(server));
  const address = `http://${USER}:${encodeURIComponent(password)}@${host}`;
  const proxy: Proxy = {
    addresses: Object.fromEntries(names.map((name) => [name, `http://${hostOf(name)}`])),
    variables: { HTTP_PROXY: address, HTTPS_PROXY: address },
    denies: false,
    tunnels: () => tunnels,
    asked: () => asked,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return proxy;
}
