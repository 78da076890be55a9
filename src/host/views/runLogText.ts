/** What happened in a run, as lines to read. */

import type { RunEvent } from "../../core/runFolder/events.ts";
import { plainLine } from "../vscode/plainText.ts";

const LEVELS: Readonly<Record<RunEvent["level"], string>> = {
  debug: "[debug]",
  info: "[info]",
  warn: "[warning]",
  error: "[error]",
};
/** Of a message; stacks of faults are long. */
const MAX_LENGTH = 4_000;
const LEVEL_WIDTH = Math.max(...Object.values(LEVELS).map(({ length }) => length));

/** A line an event in their order, with a heading for each attempt. Times are local, steps count from 1. */
export function runLogText(name: string, events: readonly RunEvent[]): string {
  const lines = [`What happened in ${plainLine(name)}`];
  let attempt: number | null = null;
  for (const event of events) {
    if (event.attempt !== attempt) lines.push("", `Attempt ${event.attempt}`);
    attempt = event.attempt;
    lines.push(eventLine(event));
  }
  if (events.length === 0) lines.push("", "Nothing is written down yet.");
  return `${lines.join("\n")}\n`;
}

function eventLine({ timeMs, level, step, message }: RunEvent): string {
  const place = step === null ? "" : `step ${step + 1}: `;
  const text = plainLine(message.replace(/\s*\n\s*/g, " "), MAX_LENGTH);
  return `${localTime(timeMs)}  ${LEVELS[level].padEnd(LEVEL_WIDTH)}  ${place}${text}`;
}

/** `2026-11-22 09:05:07` */
function localTime(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day} ${time}`;
}
