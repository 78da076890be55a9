/** What of a run its trackers need; a run that is done has no more than this. */

import type { RunContext } from "../../core/training/run/context.ts";

export type ReportContext = Pick<
  RunContext,
  "config" | "totalSteps" | "control" | "ports" | "storage" | "reporting"
>;
