/** JSON lines: one value a line, in files that only grow and may end in a half-written line. */

import type { Json } from "../json.ts";

export interface JsonLine {
  readonly value: unknown;
  /** Byte offset of the line in what was parsed. */
  readonly offset: number;
  /** Bytes of the line without its line feed. */
  readonly length: number;
}

/** A line as it is in a file; `value` is undefined for one that cannot be read. */
export interface FoundLine extends Omit<JsonLine, "value"> {
  readonly value: JsonLine["value"] | undefined;
}

const LINE_FEED = 0x0a;
/** Depth of nested collections; bounded, because readers walk through values by recursion. */
export const MAX_DEPTH = 200;
/** Entries of all collections in a value. */
const MAX_ENTRIES = 100_000;

/** The complete lines that hold JSON within the bounds of {@link parseJson}. */
export function parseJsonLines(bytes: Uint8Array): readonly JsonLine[] {
  const { lines } = findJsonLines(bytes, Number.POSITIVE_INFINITY);
  return lines.filter((line): line is JsonLine => line.value !== undefined);
}

/**
 * Complete lines, those that cannot be read too, and no more than `maxLines`, empty ones included. `completeBytes` is where the next
 * read of a growing file begins: behind the last line feed.
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

/** The bytes from where the last `count` complete lines begin on. */
export function lastLines(bytes: Uint8Array, count: number): Uint8Array {
  let start = bytes.lastIndexOf(LINE_FEED) + 1;
  for (let left = count; left > 0 && start > 0; left -= 1) {
    start = start < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, start - 2) + 1;
  }
  return bytes.subarray(start);
}

/** One JSON value as a line with its line feed, as UTF-8 bytes. */
export function encodeJsonLine(value: object | Json): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

/**
 * The parsed value, or null when `text` is not JSON, or no value that a program of this project writes: what is nested too deep
 * or has too many entries would cost its reader the stack, the memory or a long time.
 */
export function parseJson(text: string): { readonly value: unknown } | null {
  if (!isBounded(text)) return null;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** As {@link parseJson}; numbers that JSON cannot hold, for which Python's `json.dumps` writes words, become null. */
function parseLine(text: string): { readonly value: unknown } | null {
  const parsed = parseJson(text);
  return parsed !== null || !/NaN|Infinity/.test(text) ? parsed : parseJson(withNulls(text));
}

/** `text` with null for `NaN`, `Infinity` and `-Infinity` outside of strings. */
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
 * False for JSON that is nested deeper than {@link MAX_DEPTH} or has more entries. Counts what opens and separates collections outside
 * of strings; whether it is JSON at all is for the parser to say.
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

/** Where the string that begins at `start` ends; the end of the text when it does not. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
