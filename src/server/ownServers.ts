/** Keeps the servers of local environments running for the editor. */

import {
  ENVIRONMENT_REQUESTS,
  type OwnServerReport,
  ownTasksSchema,
  serveEnvironmentSchema,
} from "../api/environments.ts";
import { AppError } from "../core/errors.ts";
import { aborted } from "../core/util/abort.ts";
import type { OpenOwnServer } from "../trainer/environments/ownServer.ts";
import { answerRequests, reporterTo, type ServerOptions } from "./openRequests.ts";

/** Each server lives as long as its request. */
export function serveOwnServers(options: ServerOptions): void {
  const { connection, trainer, programFolder } = options;
  const servers = new Map<string, OpenOwnServer>();
  answerRequests(
    options,
    ENVIRONMENT_REQUESTS.serve,
    serveEnvironmentSchema,
    async ({ progressToken, launch, environment }, { fileSystem, signal, redactor }) => {
      const report = reporterTo<OwnServerReport>(connection, progressToken);
      const { configPath, overrides } = launch.training;
      const server = await trainer.openOwnServer(fileSystem, {
        configPath,
        overrides,
        environment,
        launchRequest: launch,
        programFolder,
        redactor,
        signal,
        onCode: (folder) => report({ kind: "code", folder }),
        onLog: (text) => report({ kind: "log", text }),
      });
      servers.set(progressToken, server);
      report({ kind: "ready", address: server.address, splits: server.splits });
      try {
        await aborted(signal);
      } finally {
        servers.delete(progressToken);
        await server.close();
      }
      return null;
    },
  );
  answerRequests(
    options,
    ENVIRONMENT_REQUESTS.tasks,
    ownTasksSchema,
    async ({ server, split, start, stop }) => {
      const open = servers.get(server);
      if (open !== undefined) return open.prompts(split, start, stop);
      throw new AppError("stopped", "The server of the environment has ended. Start it again.");
    },
  );
}
