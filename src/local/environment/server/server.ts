/** The ORS server of the embedded environments: one HTTP server, from request to reply. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { AppError } from "../../../core/errors.ts";
import type { Json } from "../../../core/json.ts";
import type { Clock } from "../../../core/ports.ts";
import { systemClock } from "../../../node/clock.ts";
import type { EnvironmentDefinition } from "../environment.ts";
import { HttpFault } from "./fault.ts";
import { guardRequest } from "./guard.ts";
import { type HostedEnvironment, hostEnvironment } from "./hostedEnvironment.ts";
import { RESERVED_NAMES, route } from "./router.ts";
import { SessionStore } from "./sessionStore.ts";

/** `X-Secrets` can exceed Node's default of 16 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Longer than the keep-alive of the official clients, so that no request meets a closing connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

const ENVIRONMENT_NAME = /^[a-z0-9][a-z0-9_-]*$/;

export interface EnvironmentServerOptions {
  /** The first one answers paths without an environment name. */
  readonly environments: readonly EnvironmentDefinition[];
  /** Key that every request but `/health` must carry as `X-API-Key`; null = none. */
  readonly apiKey: string | null;
  /** Most sessions at once over all environments; more are refused with 429. Absent = no limit. */
  readonly maxSessions?: number;
  readonly clock?: Clock;
}

export interface EnvironmentServer {
  /** Not listening yet: the caller chooses socket or port. */
  readonly server: Server;
  /** Ends all sessions and connections. */
  close(): Promise<void>;
}

/**
 * Builds a server that speaks the `openreward` dialect of ORS for the given environments.
 * @throws AppError `environment-definition` when there is none, or a name is reserved, malformed or taken.
 */
export function createEnvironmentServer(options: EnvironmentServerOptions): EnvironmentServer {
  const { apiKey, maxSessions = Number.POSITIVE_INFINITY, clock = systemClock } = options;
  const environments = hostAll(options.environments);
  const sessions = new SessionStore({ clock, maxSessions });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      guardRequest(request, apiKey);
      const { endpoint, hosted } = route(environments, request);
      const exchange = { request, response, environments, hosted, sessions, clock };
      const reply = await endpoint.handle(exchange);
      if (reply !== "streamed") sendJson(response, 200, reply);
    } catch (error) {
      sendFault(response, error);
    }
  };
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS },
    (request, response) => void serve(request, response),
  );
  return { server, close: () => closeAll(server, sessions) };
}

function hostAll(
  definitions: readonly EnvironmentDefinition[],
): readonly [HostedEnvironment, ...HostedEnvironment[]] {
  const names = definitions.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    const isFree = !RESERVED_NAMES.has(name) && names.indexOf(name) === index;
    if (!isFree || !ENVIRONMENT_NAME.test(name)) {
      throw new AppError(
        "environment-definition",
        `The embedded environment "${name}" cannot be served: its name is reserved, taken twice, or not made of a-z, 0-9, _ and -. Rename it.`,
      );
    }
  }
  const [first, ...others] = definitions.map(hostEnvironment);
  if (first === undefined) {
    throw new AppError(
      "environment-definition",
      "The environment server has no environments. Give it at least one definition.",
    );
  }
  return [first, ...others];
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": bytes.length,
  });
  response.end(bytes);
}

function sendFault(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof HttpFault) {
    sendJson(response, error.status, { detail: error.detail });
    return;
  }
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  sendJson(response, 500, { detail });
}

async function closeAll(server: Server, sessions: SessionStore): Promise<void> {
  await sessions.close();
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
