/** Writes run reports for the editor. */

import { REPORT_REQUESTS, reportRequestSchema } from "../api/reports.ts";
import { gatherReport } from "../core/report/report.ts";
import { reportHtml } from "../core/report/reportHtml.ts";
import { reportMarkdown } from "../core/report/reportMarkdown.ts";
import { fromHome } from "../node/fromHome.ts";
import { sha256 } from "../node/hash.ts";
import { isProcessAlive } from "../node/processes.ts";
import { VERSION } from "../shared/version.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";

export function serveReports(server: ServerOptions): void {
  answerRequests(
    server,
    REPORT_REQUESTS.write,
    reportRequestSchema,
    async ({ runs, format }, { fileSystem }) => {
      const nowMs = server.clock.now();
      const options = { nowMs, isProcessAlive, version: VERSION, shorten: fromHome, sha256 };
      const report = await gatherReport(fileSystem, runs, options);
      return format === "html" ? reportHtml(report) : reportMarkdown(report);
    },
  );
}
