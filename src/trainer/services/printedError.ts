/** What a program printed, for people who want to know why it failed. */

import { stripVTControlCharacters } from "node:util";

/** Where Python and Node name what ended a program, among the lines that say from where. */
const ERROR_LINE = /^\s*(\w+\.)*\w*(Error|Exception)\b/;
/** As uvicorn and openreward log what went well. */
const INFO_LINE = /^INFO\b|\[info\s*\]/;

/** Its lines without colors, empty ones and those that say what went well. `clean` removes secrets, which colors may cut in two. */
export function printedLines(output: string, clean: (text: string) => string): readonly string[] {
  return clean(stripVTControlCharacters(output))
    .split("\n")
    .filter((line) => line.trim() !== "" && !INFO_LINE.test(line));
}

/** The last error among the lines; undefined where there is none. */
export function printedError(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => ERROR_LINE.test(line));
}
