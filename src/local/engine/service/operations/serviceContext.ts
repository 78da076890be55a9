/** Shared dependencies of the service's routes. */

import type { Clock } from "../../../../core/ports.ts";
import type { Engine } from "../../engine.ts";
import type { CheckpointStore } from "../checkpoints/checkpointStore.ts";
import type { Models } from "../models/models.ts";
import type { Sessions } from "../models/sessions.ts";
import type { Samplers } from "../sampling/samplers.ts";
import type { Futures } from "./futures.ts";

export interface ServiceContext {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly store: CheckpointStore;
  readonly sessions: Sessions;
  readonly models: Models;
  readonly samplers: Samplers;
  readonly futures: Futures;
  /** Seed of requests that do not specify one. */
  readonly randomSeed: () => number;
}
