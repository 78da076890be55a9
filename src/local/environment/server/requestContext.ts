/** Input and result of an endpoint's handler. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Json } from "../../../core/json.ts";
import type { Clock } from "../../../core/ports.ts";
import type { HostedEnvironment } from "./hostedEnvironment.ts";
import type { SessionStore } from "./sessionStore.ts";

export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly environments: readonly HostedEnvironment[];
  /** The environment that the path or the headers name; the first one otherwise. */
  readonly hosted: HostedEnvironment;
  readonly sessions: SessionStore;
  readonly clock: Clock;
}

/** Returns the JSON reply, or `"streamed"` when the handler wrote the answer itself. */
type Handler = (exchange: RequestContext) => Json | Promise<Json | "streamed">;

export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly handle: Handler;
}
