/** Authenticates requests: the key, and the Host check that keeps web pages away from a loopback server. */

import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "../../../core/util/loopback.ts";
import { sameSecret } from "../../sameSecret.ts";
import { HttpFault } from "./fault.ts";

const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;
const PORT = /:\d+$/;

/**
 * Refuses a request that reached a loopback address under another name (DNS rebinding), or that lacks the key.
 * `/health` needs no key.
 * @throws HttpFault 403 or 401
 */
export function guardRequest(request: IncomingMessage, apiKey: string | null): void {
  const address = request.socket.localAddress;
  const host = (request.headers.host ?? "").replace(PORT, "").toLowerCase();
  if (address !== undefined && LOOPBACK_ADDRESS.test(address) && !isLoopbackHost(host)) {
    throw new HttpFault(403, "Host header does not name this computer");
  }
  if (apiKey === null || request.url === "/health") return;
  const given = request.headers["x-api-key"];
  if (typeof given !== "string" || !sameSecret(given, apiKey)) {
    throw new HttpFault(401, "Invalid API key");
  }
}
