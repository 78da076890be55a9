/** JSON lines: one value a line, in files that only grow and may end in a half-written line. */

import type { Json } from "../json.ts";

export interface JsonLine {
  readonly value: unknown;
  /** Byte offset of the line in what was parsed. */
  readonly offset: number;
  /** Bytes of the line without its line feed. */
  readonly length: number;
}

export interface ParsedJsonLines {
  readonly lines: readonly JsonLine[];
  /** Bytes up to and with the last line feed: where the next read of a growing file begins. */
  readonly completeBytes: number;
  /** True when bytes follow the last line feed: a line half-written, or being written. */
  readonly hasPartialLine: boolean;
  /** Complete lines that are not JSON. */
  readonly brokenLines: number;
}

const LINE_FEED = 0x0a;

/** Parses every complete line; a line without its line feed is reported, never parsed. Empty lines are skipped. */
export function parseJsonLines(bytes: Uint8Array): ParsedJsonLines {
  const decoder = new TextDecoder();
  const lines: JsonLine[] = [];
  let brokenLines = 0;
  let start = 0;
  for (let end = nextLineEnd(bytes, 0); end >= 0; end = nextLineEnd(bytes, start)) {
    const text = decoder.decode(bytes.subarray(start, end)).trim();
    const parsed = text === "" ? null : parseJson(text);
    if (parsed !== null) lines.push({ value: parsed.value, offset: start, length: end - start });
    else if (text !== "") brokenLines += 1;
    start = end + 1;
  }
  return { lines, completeBytes: start, hasPartialLine: start < bytes.length, brokenLines };
}

/** One JSON value as a line with its line feed, as UTF-8 bytes. */
export function encodeJsonLine(value: object | Json): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

/** The parsed value, or null when `text` is not JSON. */
export function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

function nextLineEnd(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(LINE_FEED, from);
}
