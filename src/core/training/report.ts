/** What a run reports: an event in its folder, then a line for whoever watches. */

import type { JsonObject } from "../json.ts";
import type { RunContext } from "./context.ts";

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

/** Records an event, then tells the watcher, both cleaned of secrets and on one line. @throws AppError `disk` */
export async function report(
  { events, redactor, watch }: Pick<RunContext, "events" | "redactor" | "watch">,
  { step, level, kind, message, data = {} }: Report,
): Promise<void> {
  const cleaned = redactor.redact(message).replace(/\s*\n\s*/g, " ");
  await events.record({ step, level, kind, message: cleaned, data });
  watch({ kind: level === "warn" ? "warning" : "notice", message: cleaned });
}
