/** What of a run its trackers need; a run that is done has no more than this. */

import type { RunContext } from "../../core/training/context.ts";

export type ReportContext = Pick<
  RunContext,
  | "clock"
  | "random"
  | "sha256"
  | "log"
  | "fileSystem"
  | "redactor"
  | "control"
  | "watch"
  | "folder"
  | "attempt"
  | "config"
  | "events"
  | "totalSteps"
>;
