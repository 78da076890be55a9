/** Tells the editor what an estimate can be based on. */

import { basisRequestSchema, ESTIMATE_REQUESTS } from "../api/estimate.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";

export function serveEstimates(server: ServerOptions): void {
  answerRequests(server, ESTIMATE_REQUESTS.basis, basisRequestSchema, (config, { fileSystem }) =>
    server.trainer.estimateBasis(fileSystem, config),
  );
}
