/** Input and result of an endpoint's handler. */

import type { Json } from "../../../core/json.ts";
import type { Clock } from "../../../core/ports.ts";
import type { StreamedReply } from "../../http/reply.ts";
import type { ServiceRequest } from "../../http/router.ts";
import type { HostedEnvironment } from "./hostedEnvironment.ts";
import type { SessionStore } from "./sessionStore.ts";

export interface RequestContext {
  readonly request: ServiceRequest;
  readonly environments: readonly HostedEnvironment[];
  /** The environment that the path or the headers name; the first one otherwise. */
  readonly hosted: HostedEnvironment;
  readonly sessions: SessionStore;
  readonly clock: Clock;
}

/** Handlers by `METHOD /path`. What one returns is answered as JSON, or is a stream. */
export type Endpoints = Readonly<
  Record<string, (exchange: RequestContext) => Json | Promise<Json> | Promise<StreamedReply>>
>;
