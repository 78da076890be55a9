/** Reports of a run: an event in its folder and a line for its watcher. */

import { errorMessage } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { NewRunEvent } from "../../runFolder/events.ts";
import { oneLine } from "../../util/textEdges.ts";
import type { RunReporting } from "./context.ts";

export interface Report {
  /** Null outside of steps. */
  readonly step: number | null;
  /** `info` becomes a notice, `warn` a warning. */
  readonly level: "info" | "warn";
  /** Kebab-case name of the event. */
  readonly kind: string;
  readonly message: string;
  readonly data?: JsonObject;
}

/** Records an event, then notifies the watcher, with secrets removed and on one line. @throws AppError `disk` */
export async function report(
  { events, redactor, watch }: Pick<RunReporting, "events" | "redactor" | "watch">,
  { step, level, kind, message, data = {} }: Report,
): Promise<void> {
  const cleaned = oneLine(redactor.redact(message));
  await events.record({ step, level, kind, message: cleaned, data });
  watch({ kind: level === "warn" ? "warning" : "notice", message: cleaned });
}

/** Records an event without waiting; a disk error is only logged. */
export function recordWithoutWaiting(
  { events, log }: Pick<RunReporting, "events" | "log">,
  event: NewRunEvent,
): void {
  events.record(event).catch((error: unknown) => {
    log.warn("An event could not be written.", { reason: errorMessage(error) });
  });
}
