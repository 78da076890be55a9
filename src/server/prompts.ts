/** Shows an editor the prompts of a configuration. */

import { PROMPT_REQUESTS, promptRequestSchema } from "../api/prompts.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";

export function servePrompts(server: ServerOptions): void {
  answerRequests(
    server,
    PROMPT_REQUESTS.preview,
    promptRequestSchema,
    ({ launch, ...choice }, { fileSystem, signal, redactor }) => {
      const { configPath, overrides } = launch.training;
      return server.trainer.previewPrompt(fileSystem, {
        ...choice,
        configPath,
        overrides,
        allowedOrigins: [],
        launchRequest: launch,
        signal,
        redactor,
        onPart: () => undefined,
      });
    },
  );
}
