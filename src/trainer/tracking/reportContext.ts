/** The part of a run that its trackers need; all that exists for a finished run. */

import type { RunContext } from "../../core/training/run/context.ts";

export type ReportContext = Pick<
  RunContext,
  "config" | "totalSteps" | "control" | "ports" | "storage" | "reporting"
>;
