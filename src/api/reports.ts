/** Requests from this extension to its server about reports. */

import * as z from "zod";

export const REPORT_REQUESTS = {
  /** A {@link ReportRequest}, answered with the `RequestOutcome` of the report's text. */
  write: "tinkerRL/report/write",
} as const;

export const reportRequestSchema = z
  .object({
    /** Each with its `name` in the report. */
    runs: z.array(z.object({ folder: z.string(), name: z.string() }).readonly()).readonly(),
    format: z.enum(["html", "markdown"]),
  })
  .readonly();

export type ReportRequest = z.infer<typeof reportRequestSchema>;
