/** Shows an editor the prompts of a configuration. */

import type { CancellationToken } from "vscode-languageserver";
import { PROMPT_REQUESTS, promptRequestSchema } from "../api/prompts.ts";
import type { RequestOutcome } from "../api/requests.ts";
import type { PromptDescription } from "../shared/promptDescription.ts";
import type { ServerOptions } from "./openRequests.ts";

export function servePrompts({ connection, trainer, requests }: ServerOptions): void {
  connection.onRequest<RequestOutcome<PromptDescription>, void>(
    PROMPT_REQUESTS.preview,
    (request: unknown, token: CancellationToken) => {
      const { launch, ...choice } = promptRequestSchema.parse(request);
      const { configPath, overrides } = launch.training;
      return requests.run(token, ({ fileSystem, signal, redactor }) =>
        trainer.previewPrompt(fileSystem, {
          ...choice,
          configPath,
          overrides,
          allowedOrigins: [],
          launchRequest: launch,
          signal,
          redactor,
          onPart: () => undefined,
        }),
      );
    },
  );
}
