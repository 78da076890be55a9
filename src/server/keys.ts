/** Tests API keys for the editor. */

import { KEY_REQUESTS, keyTestSchema } from "../api/keys.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";

export function serveKeys(server: ServerOptions): void {
  answerRequests(server, KEY_REQUESTS.test, keyTestSchema, (key, { signal, redactor }) => {
    redactor.learn(key.value);
    return server.trainer.testKey(key, { signal });
  });
}
