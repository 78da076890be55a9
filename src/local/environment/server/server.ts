/** The ORS server of the embedded environments. */

import type { Server } from "node:http";
import { AppError } from "../../../core/errors.ts";
import type { Clock, Log } from "../../../core/ports.ts";
import { systemClock } from "../../../node/clock.ts";
import { admitLoopbackNames, createHttpServer } from "../../http/httpServer.ts";
import { closeServer } from "../../http/listen.ts";
import { stderrLog } from "../../http/stderrLog.ts";
import type { EnvironmentDefinition } from "../environment.ts";
import { type HostedEnvironment, hostEnvironment } from "./hostedEnvironment.ts";
import { environmentRoutes, RESERVED_NAMES } from "./router.ts";
import { SessionStore } from "./sessionStore.ts";

const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** `:NAME` selects one of several datasets. */
const ENVIRONMENT_NAME = /^[a-z0-9][a-z0-9_-]*(?::[a-z0-9][a-z0-9_-]*)?$/;

export interface EnvironmentServerOptions {
  /** The first one handles paths without an environment name. */
  readonly environments: readonly EnvironmentDefinition[];
  /** Key that every request except `/health` must carry as `X-API-Key`; null = none. */
  readonly apiKey: string | null;
  /** Maximum number of concurrent sessions across environments; beyond it, requests get 429. Absent = no limit. */
  readonly maxSessions?: number;
  readonly clock?: Clock;
  /** Absent = standard error. */
  readonly log?: Log;
}

export interface EnvironmentServer {
  /** Not listening yet; the caller chooses a socket or port. */
  readonly server: Server;
  /** Ends all sessions and connections. */
  close(): Promise<void>;
}

/**
 * Builds a server that speaks the `openreward` dialect of ORS for the given environments.
 * @throws AppError `environment-definition` if there is none, or a name is reserved, malformed, or duplicate
 */
export function createEnvironmentServer(options: EnvironmentServerOptions): EnvironmentServer {
  const { apiKey, maxSessions = Number.POSITIVE_INFINITY, clock = systemClock } = options;
  const environments = hostAll(options.environments);
  const sessions = new SessionStore({ clock, maxSessions });
  const server = createHttpServer({
    ...environmentRoutes(environments, { sessions, clock }),
    key: apiKey,
    log: options.log ?? stderrLog,
    maxBodyBytes: MAX_BODY_BYTES,
    admit: admitLoopbackNames,
  });
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
        `The embedded environment "${name}" cannot be served: its name is reserved, taken twice, or not made of a-z, 0-9, _ and - with at most one colon. Rename it.`,
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

async function closeAll(server: Server, sessions: SessionStore): Promise<void> {
  await sessions.close();
  await closeServer(server);
}
