/** Extracts from a program's output why it failed. */

import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { isWithin } from "../../node/confinement.ts";

/** The final error line of Python or Node, within a stack trace. */
const ERROR_LINE = /^\s*(\w+\.)*\w*(Error|Exception)\b/;
/** First line of a Python traceback; syntax errors in the main program have none. */
const TRACEBACK = "Traceback (most recent call last)";
/** Last line of a traceback; lines of code would be indented. */
const END_LINE = /^(\w+\.)*\w*(Error|Exception)\b/;
/** Location line of a Python traceback. */
const PLACE_LINE = /^\s*File "(.+)", line (\d+)/;
/** Info lines as logged by uvicorn and openreward. */
const INFO_LINE = /^INFO\b|\[info\s*\]/;

/** Lines without colors, blank lines, and info lines. `clean` removes secrets after the colors, which may split them. */
export function printedLines(output: string, clean: (text: string) => string): readonly string[] {
  return clean(stripVTControlCharacters(output))
    .split("\n")
    .filter((line) => line.trim() !== "" && !INFO_LINE.test(line));
}

/** A text without its complete info lines; its last line may be incomplete. */
export function withoutInfo(output: string): string {
  const lines = output.split("\n");
  const end = lines.length - 1;
  return lines
    .filter((line, at) => at === end || !INFO_LINE.test(stripVTControlCharacters(line)))
    .join("\n");
}

/** The last error in the lines, with its location in the code of `folder` if there is one; undefined if there is no error. */
export function printedError(lines: readonly string[], folder: string): string | undefined {
  const error = lines.findLast((line) => ERROR_LINE.test(line));
  if (error === undefined) return undefined;
  const before = lines.slice(0, lines.lastIndexOf(error));
  const begin = before.findLastIndex((line) => line.includes(TRACEBACK) || END_LINE.test(line));
  const places = before.slice(begin + 1).flatMap((line) => {
    const [, path = "", number] = PLACE_LINE.exec(line) ?? [];
    const isOwn = isWithin(path, folder) && !path.includes("site-packages");
    return number !== undefined && isOwn ? [`${relative(folder, path)}:${number}: `] : [];
  });
  return `${places.at(-1) ?? ""}${error}`;
}
