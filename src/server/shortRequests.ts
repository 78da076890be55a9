/** Requests of the editor that one function answers: prompts, reports, tests of keys, and what an estimate can be based on. */

import { basisRequestSchema, ESTIMATE_REQUESTS } from "../api/estimate.ts";
import { KEY_REQUESTS, keyTestSchema } from "../api/keys.ts";
import { PROMPT_REQUESTS, promptRequestSchema } from "../api/prompts.ts";
import { REPORT_REQUESTS, reportRequestSchema } from "../api/reports.ts";
import { gatherReport } from "../core/report/report.ts";
import { reportHtml } from "../core/report/reportHtml.ts";
import { reportMarkdown } from "../core/report/reportMarkdown.ts";
import { fromHome } from "../node/fromHome.ts";
import { sha256 } from "../node/hash.ts";
import { isProcessAlive } from "../node/processes.ts";
import { VERSION } from "../shared/version.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";

export function serveShortRequests(server: ServerOptions): void {
  const { trainer, clock } = server;
  answerRequests(
    server,
    PROMPT_REQUESTS.preview,
    promptRequestSchema,
    ({ launch, ...choice }, { fileSystem, signal, redactor }) => {
      const { configPath, overrides } = launch.training;
      return trainer.previewPrompt(fileSystem, {
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
  answerRequests(
    server,
    REPORT_REQUESTS.write,
    reportRequestSchema,
    async ({ runs, format }, { fileSystem }) => {
      const options = { isProcessAlive, version: VERSION, shorten: fromHome, sha256 };
      const report = await gatherReport(fileSystem, runs, { ...options, nowMs: clock.now() });
      return format === "html" ? reportHtml(report) : reportMarkdown(report);
    },
  );
  answerRequests(server, KEY_REQUESTS.test, keyTestSchema, (key, { signal, redactor }) => {
    redactor.learn(key.value);
    return trainer.testKey(key, { signal });
  });
  answerRequests(server, ESTIMATE_REQUESTS.basis, basisRequestSchema, (config, { fileSystem }) =>
    trainer.estimateBasis(fileSystem, config),
  );
}
