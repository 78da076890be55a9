/** What a run reports: an event in its folder, then a line for whoever watches. */

import { errorMessage } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { NewRunEvent } from "../../runFolder/events.ts";
import { oneLine } from "../../util/textEdges.ts";
import type { RunReporting } from "./context.ts";

export interface Report {
  /** Null = outside of the steps. */
  readonly step: number | null;
  /** Informs with a notice, else with a warning. */
  readonly level: "info" | "warn";
  /** Kebab-case name of the event. */
  readonly kind: string;
  readonly message: string;
  readonly data?: JsonObject;
}

/** Records an event, then informs the watcher, both cleaned of secrets and on one line. @throws AppError `disk` */
export async function report(
  { events, redactor, watch }: Pick<RunReporting, "events" | "redactor" | "watch">,
  { step, level, kind, message, data = {} }: Report,
): Promise<void> {
  const cleaned = oneLine(redactor.redact(message));
  await events.record({ step, level, kind, message: cleaned, data });
  watch({ kind: level === "warn" ? "warning" : "notice", message: cleaned });
}

/** Records an event while the caller continues; a fault of the disk is a line in the log. */
export function recordWithoutWaiting(
  { events, log }: Pick<RunReporting, "events" | "log">,
  event: NewRunEvent,
): void {
  events.record(event).catch((error: unknown) => {
    log.warn("An event could not be written.", { reason: errorMessage(error) });
  });
}
