/** A run's event log as readable lines. */

import * as l10n from "@vscode/l10n";
import type { RunEvent } from "../../core/runFolder/events.ts";
import { plainLine } from "../../core/util/plainText.ts";
import { oneLine } from "../../core/util/textEdges.ts";
import { shownStep } from "../../shared/eventStep.ts";
import { formatCount, formatLocalTime } from "../../shared/format.ts";

/** Maximum message length, because stack traces are long. */
const MAX_LENGTH = 4_000;

/** One line per event in order, with a heading for each attempt. Times are local; steps count from 1. */
export function runLogText(
  name: string,
  events: readonly RunEvent[],
  { isLive }: { readonly isLive: boolean },
): string {
  const lines = [l10n.t("What happened in {0}", plainLine(name))];
  let attempt: number | null = null;
  for (const event of events) {
    if (event.attempt !== attempt) lines.push("", l10n.t("Attempt {0}", event.attempt));
    attempt = event.attempt;
    lines.push(eventLine(event));
  }
  if (events.length === 0) {
    lines.push("", isLive ? l10n.t("No events yet.") : l10n.t("This run logged no events."));
  }
  return `${lines.join("\n")}\n`;
}

function levelTexts(): Readonly<Record<RunEvent["level"], string>> {
  return {
    debug: l10n.t("[debug]"),
    info: l10n.t("[info]"),
    warn: l10n.t("[warning]"),
    error: l10n.t("[error]"),
  };
}

function eventLine(event: RunEvent): string {
  const { timeMs, level, message } = event;
  const step = shownStep(event);
  const levels = levelTexts();
  const width = Math.max(...Object.values(levels).map(({ length }) => length));
  const place = step === null ? "" : `${l10n.t("step {0}", formatCount(step))}: `;
  const text = plainLine(oneLine(message), MAX_LENGTH);
  return `${formatLocalTime(timeMs)}  ${levels[level].padEnd(width)}  ${place}${text}`;
}
