/** Writes reports of runs for an editor. */

import type { CancellationToken } from "vscode-languageserver";
import { REPORT_REQUESTS, reportRequestSchema } from "../api/reports.ts";
import type { RequestOutcome } from "../api/requests.ts";
import { gatherReport } from "../core/report/report.ts";
import { reportHtml } from "../core/report/reportHtml.ts";
import { reportMarkdown } from "../core/report/reportMarkdown.ts";
import { fromHome } from "../node/fromHome.ts";
import { isProcessAlive } from "../node/processes.ts";
import { VERSION } from "../shared/version.ts";
import type { ServerOptions } from "./openRequests.ts";

export function serveReports({ connection, requests, clock }: ServerOptions): void {
  connection.onRequest<RequestOutcome<string>, void>(
    REPORT_REQUESTS.write,
    (request: unknown, token: CancellationToken) => {
      const { runs, format } = reportRequestSchema.parse(request);
      return requests.run(token, async ({ fileSystem }) => {
        const options = { nowMs: clock.now(), isProcessAlive, version: VERSION, shorten: fromHome };
        const report = await gatherReport(fileSystem, runs, options);
        return format === "html" ? reportHtml(report) : reportMarkdown(report);
      });
    },
  );
}
