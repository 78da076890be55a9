/** Tests keys for an editor. */

import type { CancellationToken } from "vscode-languageserver";
import { KEY_REQUESTS, type KeyTestResult, keyTestSchema } from "../api/keys.ts";
import type { RequestOutcome } from "../api/requests.ts";
import type { ServerOptions } from "./openRequests.ts";

export function serveKeys({ connection, trainer, requests }: ServerOptions): void {
  connection.onRequest<RequestOutcome<KeyTestResult>, void>(
    KEY_REQUESTS.test,
    (request: unknown, token: CancellationToken) => {
      const key = keyTestSchema.parse(request);
      return requests.run(token, ({ signal, redactor }) => {
        redactor.learn(key.value);
        return trainer.testKey(key, { signal });
      });
    },
  );
}
