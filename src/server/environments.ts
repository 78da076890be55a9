/** Writes new environments for an editor. */

import { join } from "node:path";
import type { CancellationToken } from "vscode-languageserver";
import {
  codeSchema,
  ENVIRONMENT_REQUESTS,
  type EnvironmentCode,
  type NewEnvironment,
  newEnvironmentSchema,
  type ProgramWords,
  pythonProjectSchema,
} from "../api/environments.ts";
import type { RequestOutcome } from "../api/requests.ts";
import { environmentCode } from "../trainer/environments/environmentCode.ts";
import { writeEnvironment } from "../trainer/scaffold/newEnvironment.ts";
import { virtualEnvironmentSteps } from "../trainer/scaffold/virtualEnvironment.ts";
import type { ServerOptions } from "./openRequests.ts";

export function serveEnvironments({ connection, requests, programFolder }: ServerOptions): void {
  connection.onRequest<RequestOutcome<NewEnvironment>, void>(
    ENVIRONMENT_REQUESTS.create,
    (request: unknown, token: CancellationToken) => {
      const wanted = newEnvironmentSchema.parse(request);
      const templatesFolder = join(programFolder, "templates");
      return requests.run(token, ({ fileSystem }) =>
        writeEnvironment(fileSystem, { ...wanted, templatesFolder }),
      );
    },
  );
  connection.onRequest<RequestOutcome<readonly ProgramWords[]>, void>(
    ENVIRONMENT_REQUESTS.venvSteps,
    (request: unknown, token: CancellationToken) => {
      const project = pythonProjectSchema.parse(request);
      return requests.run(token, () => virtualEnvironmentSteps(project));
    },
  );
  connection.onRequest<RequestOutcome<EnvironmentCode | null>, void>(
    ENVIRONMENT_REQUESTS.code,
    (request: unknown, token: CancellationToken) => {
      const wanted = codeSchema.parse(request);
      return requests.run(token, ({ fileSystem }) => environmentCode(fileSystem, wanted));
    },
  );
}
