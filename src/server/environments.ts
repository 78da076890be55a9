/** Creates environments for the editor, and keeps the servers of local ones running. */

import { join } from "node:path";
import {
  codeSchema,
  ENVIRONMENT_REQUESTS,
  newEnvironmentSchema,
  type OwnServerReport,
  ownTasksSchema,
  pythonProjectSchema,
  serveEnvironmentSchema,
} from "../api/environments.ts";
import { AppError } from "../core/errors.ts";
import { aborted } from "../core/util/abort.ts";
import { environmentCode } from "../trainer/environments/environmentCode.ts";
import type { OpenOwnServer } from "../trainer/environments/ownServer.ts";
import { writeEnvironment } from "../trainer/scaffold/newEnvironment.ts";
import { virtualEnvironmentSteps } from "../trainer/scaffold/virtualEnvironment.ts";
import { answerRequests, reporterTo, type ServerOptions } from "./openRequests.ts";

export function serveEnvironments(server: ServerOptions): void {
  const { create, venvSteps, code } = ENVIRONMENT_REQUESTS;
  const templatesFolder = join(server.programFolder, "templates");
  answerRequests(server, create, newEnvironmentSchema, (wanted, { fileSystem }) =>
    writeEnvironment(fileSystem, { ...wanted, templatesFolder }),
  );
  answerRequests(server, venvSteps, pythonProjectSchema, (project) =>
    virtualEnvironmentSteps(project),
  );
  answerRequests(server, code, codeSchema, (wanted, { fileSystem }) =>
    environmentCode(fileSystem, wanted),
  );
  serveOwnServers(server);
}

/** Each server lives as long as its request. */
function serveOwnServers(options: ServerOptions): void {
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
