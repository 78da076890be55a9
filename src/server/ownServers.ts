/** Keeps the own servers of environments running for an editor. */

import { once } from "node:events";
import { type CancellationToken, ProgressType } from "vscode-languageserver";
import {
  ENVIRONMENT_REQUESTS,
  type OwnServerReport,
  ownTasksSchema,
  serveEnvironmentSchema,
} from "../api/environments.ts";
import type { RequestOutcome } from "../api/requests.ts";
import { AppError } from "../core/errors.ts";
import type { OpenOwnServer } from "../trainer/environments/ownServer.ts";
import type { ServerOptions } from "./openRequests.ts";

const SERVING = new ProgressType<OwnServerReport>();

/** Each server is a request that lasts as long. */
export function serveOwnServers({
  connection,
  trainer,
  requests,
  programFolder,
}: ServerOptions): void {
  const servers = new Map<string, OpenOwnServer>();
  connection.onRequest<RequestOutcome<null>, void>(
    ENVIRONMENT_REQUESTS.serve,
    (request: unknown, token: CancellationToken) => {
      const { progressToken, launch, environment } = serveEnvironmentSchema.parse(request);
      const report = (what: OwnServerReport): void => {
        // Rejects when the editor has left, which ends the server.
        connection.sendProgress(SERVING, progressToken, what).catch(() => undefined);
      };
      const { configPath, overrides } = launch.training;
      return requests.run(token, async ({ fileSystem, signal, redactor }) => {
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
          if (!signal.aborted) await once(signal, "abort");
        } finally {
          servers.delete(progressToken);
          await server.close();
        }
        return null;
      });
    },
  );
  connection.onRequest<RequestOutcome<readonly (string | null)[]>, void>(
    ENVIRONMENT_REQUESTS.tasks,
    (request: unknown, token: CancellationToken) => {
      const { server, split, start, stop } = ownTasksSchema.parse(request);
      return requests.run(token, async () => {
        const open = servers.get(server);
        if (open !== undefined) return open.prompts(split, start, stop);
        throw new AppError("stopped", "The server of the environment has ended. Start it again.");
      });
    },
  );
}
