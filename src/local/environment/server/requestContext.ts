/** Inputs and results of endpoint handlers. */

import type { Json } from "../../../core/json.ts";
import type { Clock } from "../../../core/ports.ts";
import type { StreamedReply } from "../../http/reply.ts";
import type { ServiceRequest } from "../../http/router.ts";
import type { HostedEnvironment } from "./hostedEnvironment.ts";
import type { SessionStore } from "./sessionStore.ts";

export interface RequestContext {
  readonly request: ServiceRequest;
  readonly environments: readonly HostedEnvironment[];
  /** The environment named by path or headers, or else the first one. */
  readonly hosted: HostedEnvironment;
  readonly sessions: SessionStore;
  readonly clock: Clock;
}

/** Handlers by `METHOD /path`. A result is sent as JSON or as a stream. */
export type Endpoints = Readonly<
  Record<string, (exchange: RequestContext) => Json | Promise<Json> | Promise<StreamedReply>>
>;
