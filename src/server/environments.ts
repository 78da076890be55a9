/** Creates new environments for the editor. */

import { join } from "node:path";
import {
  codeSchema,
  ENVIRONMENT_REQUESTS,
  newEnvironmentSchema,
  pythonProjectSchema,
} from "../api/environments.ts";
import { environmentCode } from "../trainer/environments/environmentCode.ts";
import { writeEnvironment } from "../trainer/scaffold/newEnvironment.ts";
import { virtualEnvironmentSteps } from "../trainer/scaffold/virtualEnvironment.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";

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
}
