/** The Tinker service over an engine: builds its parts and closes them. */

import { randomInt } from "node:crypto";
import type { Server } from "node:http";
import { join } from "node:path";
import type { Clock, FileSystem, Log, Random } from "../../../core/ports.ts";
import { isProcessAlive } from "../../../node/processes.ts";
import { createHttpServer } from "../../http/httpServer.ts";
import { closeServer } from "../../http/listen.ts";
import type { Engine } from "../engine.ts";
import { openCheckpointStore } from "./checkpoints/checkpointStore.ts";
import { Models } from "./models/models.ts";
import { Sessions } from "./models/sessions.ts";
import { Futures } from "./operations/futures.ts";
import type { ServiceContext } from "./operations/serviceContext.ts";
import { checkpointRoutes } from "./routes/checkpointRoutes.ts";
import { exportRoutes } from "./routes/exportRoutes.ts";
import { futureRoutes } from "./routes/futureRoutes.ts";
import { metaRoutes } from "./routes/metaRoutes.ts";
import { modelRoutes } from "./routes/modelRoutes.ts";
import { samplingRoutes } from "./routes/samplingRoutes.ts";
import { saveRoutes } from "./routes/saveRoutes.ts";
import { sessionRoutes } from "./routes/sessionRoutes.ts";
import { trainingRoutes } from "./routes/trainingRoutes.ts";
import { Samplers } from "./sampling/samplers.ts";
import { SnapshotCache } from "./sampling/snapshotCache.ts";

export interface TinkerServiceOptions {
  readonly engine: Engine;
  /** Folder of the user's checkpoints, shared by all local runs. */
  readonly storeFolder: string;
  /** Size limit for all sampler checkpoints together. */
  readonly maxStoreBytes?: number;
  /** Required value of X-API-Key; null accepts anything. */
  readonly key: string | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: FileSystem;
  readonly log: Log;
}

export interface TinkerService {
  /** Not listening yet, see `listen`. */
  readonly server: Server;
  /** Ends all connections; the engine stays open. */
  close(): Promise<void>;
}

/** Opens the store and builds the server. @throws AppError `disk` if the store is not writable */
export async function createTinkerService(options: TinkerServiceOptions): Promise<TinkerService> {
  const parts = await createParts(options);
  const exporting = exportRoutes(parts);
  const server = createHttpServer({
    key: options.key,
    log: options.log,
    prefix: "/api/v1",
    openRoutes: exporting.signedRoutes,
    routes: {
      ...metaRoutes(parts),
      ...sessionRoutes(parts),
      ...futureRoutes(parts),
      ...modelRoutes(parts),
      ...trainingRoutes(parts),
      ...saveRoutes(parts),
      ...samplingRoutes(parts),
      ...checkpointRoutes(parts),
      ...exporting.routes,
    },
  });
  return {
    server,
    close: () => closeServer(server),
  };
}

async function createParts(options: TinkerServiceOptions): Promise<ServiceContext> {
  const { engine, clock, random, files, log, storeFolder, maxStoreBytes } = options;
  const uuid = () => random.uuid();
  const store = await openCheckpointStore({
    root: join(storeFolder, "runs"),
    files,
    uuid,
    clock,
    log,
    pid: process.pid,
    isProcessAlive,
    maxBytes: maxStoreBytes,
  });
  const sessions = new Sessions({ uuid });
  const snapshots = new SnapshotCache({ engine });
  return {
    engine,
    clock,
    store,
    sessions,
    models: new Models({ engine, clock, sessions }),
    samplers: new Samplers({ engine, sessions, store, snapshots }),
    futures: new Futures({ clock, log }),
    randomSeed: () => randomInt(2 ** 32),
  };
}
