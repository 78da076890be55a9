/** JSON lines: one value per line, in append-only files that may end with a half-written line. */

import type { Json } from "../json.ts";

export interface JsonLine {
  readonly value: unknown;
  /** Byte offset of the line in the parsed bytes. */
  readonly offset: number;
  /** Length of the line in bytes, without its line feed. */
  readonly length: number;
}

/** A line of a file; `value` is undefined if it cannot be parsed. */
export interface FoundLine extends Omit<JsonLine, "value"> {
  readonly value: JsonLine["value"] | undefined;
}

const LINE_FEED = 0x0a;
/** Nesting depth; limited because readers process values recursively. */
export const MAX_DEPTH = 200;
/** Total entries of all collections in a value. */
const MAX_ENTRIES = 100_000;

/** The complete lines that contain JSON within the limits of {@link parseJson}. */
export function parseJsonLines(bytes: Uint8Array): readonly JsonLine[] {
  const { lines } = findJsonLines(bytes, Number.POSITIVE_INFINITY);
  return lines.filter((line): line is JsonLine => line.value !== undefined);
}

/**
 * Up to `maxLines` complete lines, including unparsable ones; empty lines count but are not returned. `completeBytes` is where
 * the next read of a growing file starts, after the last line feed.
 */
export function findJsonLines(
  bytes: Uint8Array,
  maxLines: number,
): { readonly lines: readonly FoundLine[]; readonly completeBytes: number } {
  const decoder = new TextDecoder();
  const lines: FoundLine[] = [];
  let start = 0;
  for (let count = 0; count < maxLines; count += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0) break;
    const text = decoder.decode(bytes.subarray(start, end)).trim();
    if (text !== "") {
      lines.push({ value: parseLine(text)?.value, offset: start, length: end - start });
    }
    start = end + 1;
  }
  return { lines, completeBytes: start };
}

/** The bytes from the start of the last `count` complete lines. */
export function lastLines(bytes: Uint8Array, count: number): Uint8Array {
  let start = bytes.lastIndexOf(LINE_FEED) + 1;
  for (let left = count; left > 0 && start > 0; left -= 1) {
    start = start < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, start - 2) + 1;
  }
  return bytes.subarray(start);
}

/** A JSON value as a line of UTF-8 bytes, including the line feed. */
export function encodeJsonLine(value: object | Json): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

/**
 * The parsed value, or null if `text` is not JSON or exceeds the limits. Values nested too deep or with too many entries, which
 * this program never writes, could exhaust the reader's stack, memory or time.
 */
export function parseJson(
  text: string,
  maxEntries = MAX_ENTRIES,
): { readonly value: unknown } | null {
  if (!isBounded(text, maxEntries)) return null;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Like {@link parseJson}, but NaN and infinities, which Python's `json.dumps` writes, become null. */
function parseLine(text: string): { readonly value: unknown } | null {
  const parsed = parseJson(text);
  return parsed !== null || !/NaN|Infinity/.test(text) ? parsed : parseJson(withNulls(text));
}

/** `text` with null in place of `NaN`, `Infinity` and `-Infinity` outside of strings. */
function withNulls(text: string): string {
  const word = /-?(?:NaN|Infinity)/y;
  let result = "";
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at);
    word.lastIndex = at;
    if (!word.test(text)) continue;
    result += `${text.slice(copied, at)}null`;
    copied = word.lastIndex;
    at = copied - 1;
  }
  return result + text.slice(copied);
}

/**
 * False for JSON nested deeper than {@link MAX_DEPTH} or with too many entries. Counts the characters that open and separate
 * collections outside of strings; it does not check that the text is valid JSON.
 */
export function isBounded(text: string, maxEntries = MAX_ENTRIES): boolean {
  let depth = 0;
  let entries = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case "[":
      case "{":
        depth += 1;
        entries += 1;
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      case ",":
        entries += 1;
    }
    if (depth > MAX_DEPTH || entries > maxEntries) return false;
  }
  return true;
}

/** Where the string starting at `start` ends; the end of the text if it is not closed. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
