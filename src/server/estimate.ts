/** Says to an editor what an estimate can rest on. */

import type { CancellationToken } from "vscode-languageserver";
import { basisRequestSchema, ESTIMATE_REQUESTS, type EstimateBasis } from "../api/estimate.ts";
import type { RequestOutcome } from "../api/requests.ts";
import type { ServerOptions } from "./openRequests.ts";

export function serveEstimates({ connection, trainer, requests }: ServerOptions): void {
  connection.onRequest<RequestOutcome<EstimateBasis>, void>(
    ESTIMATE_REQUESTS.basis,
    (request: unknown, token: CancellationToken) => {
      const config = basisRequestSchema.parse(request);
      return requests.run(token, ({ fileSystem }) => trainer.estimateBasis(fileSystem, config));
    },
  );
}
