/** What an editor of this package asks its server about reports. */

import * as z from "zod";

export const REPORT_REQUESTS = {
  /** A {@link ReportRequest}, answered with the `RequestOutcome` of the report's text. */
  write: "tinkerRL/report/write",
} as const;

export interface ReportRequest {
  readonly runs: readonly {
    readonly folder: string;
    /** As the report calls it. */
    readonly name: string;
  }[];
  readonly format: "html" | "markdown";
}

export const reportRequestSchema: z.ZodType<ReportRequest> = z
  .object({
    runs: z.array(z.object({ folder: z.string(), name: z.string() }).readonly()).readonly(),
    format: z.enum(["html", "markdown"]),
  })
  .readonly();
