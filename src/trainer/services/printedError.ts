/** What a program printed, for people who want to know why it failed. */

import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { isWithin } from "../../node/confinement.ts";

/** Where Python and Node name what ended a program, among the lines that say from where. */
const ERROR_LINE = /^\s*(\w+\.)*\w*(Error|Exception)\b/;
/** How Python begins to say where an error was, but for a syntax error in the program that it was given. */
const TRACEBACK = "Traceback (most recent call last)";
/** How it ends; a line of code would be indented. */
const END_LINE = /^(\w+\.)*\w*(Error|Exception)\b/;
/** As Python writes where it was. */
const PLACE_LINE = /^\s*File "(.+)", line (\d+)/;
/** As uvicorn and openreward log what went well. */
const INFO_LINE = /^INFO\b|\[info\s*\]/;

/** Its lines without colors, empty ones and those that say what went well. `clean` removes secrets, which colors may cut in two. */
export function printedLines(output: string, clean: (text: string) => string): readonly string[] {
  return clean(stripVTControlCharacters(output))
    .split("\n")
    .filter((line) => line.trim() !== "" && !INFO_LINE.test(line));
}

/** A text without whole lines that say what went well; its last line may have only begun. */
export function withoutInfo(output: string): string {
  const lines = output.split("\n");
  const end = lines.length - 1;
  return lines
    .filter((line, at) => at === end || !INFO_LINE.test(stripVTControlCharacters(line)))
    .join("\n");
}

/** The last error among the lines, with its place in the code of `folder`, where it has one; undefined where there is none. */
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
