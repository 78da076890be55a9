/** JSON that preserves the text of numbers, so that numbers from a model or an environment are not rounded. */

import { isJsonObject, type Json } from "../json.ts";
import { endOfString, isBounded, MAX_DEPTH } from "./jsonl.ts";
import { unusedMark } from "./unusedMark.ts";

/** A number that a double would change or spell differently, for example 12345678901234567890, 1.0 or 1e400. */
export class ExactNumber {
  /** The number as written. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type ExactJson =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly ExactJson[]
  | ExactJsonObject;
export interface ExactJsonObject {
  readonly [key: string]: ExactJson;
}

/** True for a JSON object: not null, not an array, not a number. */
export function isExactObject(value: unknown): value is ExactJsonObject {
  return isJsonObject(value) && !(value instanceof ExactNumber);
}

/** Matches, in valid JSON, a number or the start of a string, whose digits must be skipped. */
const STRING_OR_NUMBER = /"|-?\d[\d.eE+-]*/g;

/** Matches any text with such a number: integers of at most 15 digits are exact, except -0. */
const MAY_BE_INEXACT = /\d[.eE]|\d{16}|-0/;

/** JSON nested too deep for recursive readers. */
export class TooDeepError extends SyntaxError {
  constructor() {
    super(`JSON is nested more than ${MAX_DEPTH} levels deep`);
  }
}

/**
 * Parses like `JSON.parse`, but preserves numbers that it would change.
 * @throws SyntaxError, or a {@link TooDeepError} for JSON nested deeper than {@link MAX_DEPTH}
 */
export function parseExactJson(text: string): ExactJson {
  if (!isBounded(text, Number.POSITIVE_INFINITY)) throw new TooDeepError();
  const rounded: ExactJson = JSON.parse(text);
  if (!MAY_BE_INEXACT.test(text)) return rounded;
  const inexact = inexactNumbers(text);
  if (inexact.length === 0) return rounded;
  // Temporarily turn these numbers into strings, with a prefix that no other string has.
  const mark = unusedMark("#", "#", JSON.stringify(rounded));
  let marked = "";
  let done = 0;
  for (const { 0: number, index } of inexact) {
    marked += `${text.slice(done, index)}"${mark}${number}"`;
    done = index + number.length;
  }
  return JSON.parse(marked + text.slice(done), (_, value: unknown) =>
    typeof value === "string" && value.startsWith(mark)
      ? new ExactNumber(value.slice(mark.length))
      : value,
  );
}

/** Like {@link parseExactJson}; null if the text is not a JSON object. */
export function parseExactObject(text: string): ExactJsonObject | null {
  try {
    const value = parseExactJson(text);
    return isExactObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The numbers in valid JSON that a double would change or spell differently. */
function inexactNumbers(text: string): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  STRING_OR_NUMBER.lastIndex = 0;
  for (
    let token = STRING_OR_NUMBER.exec(text);
    token !== null;
    token = STRING_OR_NUMBER.exec(text)
  ) {
    const [written] = token;
    if (written === '"') STRING_OR_NUMBER.lastIndex = endOfString(text, token.index) + 1;
    else if (JSON.stringify(Number(written)) !== written) found.push(token);
  }
  return found;
}

/** `compact` has no spaces, `spaced` one after commas and colons, `lines` one item per line, `wideLines` four spaces per level. */
export type JsonLayout = "compact" | "spaced" | "lines" | "wideLines";

/** Writes like `JSON.stringify`, but numbers as they were written. */
export function writeExactJson(value: ExactJson, layout: JsonLayout = "compact"): string {
  return write(value, layout, "\n");
}

function write(value: ExactJson, layout: JsonLayout, lineStart: string): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = lineStart + (layout === "wideLines" ? "    " : "  ");
  const colon = layout === "compact" ? ":" : ": ";
  const isList = isExactList(value);
  const items = isList
    ? value.map((item) => write(item, layout, inner))
    : Object.entries(value).map(
        ([key, item]) => JSON.stringify(key) + colon + write(item, layout, inner),
      );
  const [open, close] = isList ? "[]" : "{}";
  const isFlat = layout === "compact" || layout === "spaced";
  if (isFlat || items.length === 0) {
    return open + items.join(layout === "spaced" ? ", " : ",") + close;
  }
  return open + inner + items.join(`,${inner}`) + lineStart + close;
}

/** A copy with the keys of every object in ascending order. */
export function sortKeys(value: ExactJson): ExactJson {
  if (isExactList(value)) return value.map(sortKeys);
  if (!isExactObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}

/** A copy with all numbers as doubles. */
export function plainJson(value: ExactJson): Json {
  if (value instanceof ExactNumber) return Number(value.text);
  if (value === null || typeof value !== "object") return value;
  if (isExactList(value)) return value.map(plainJson);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainJson(item)]));
}

/** `Array.isArray` does not narrow a readonly array. */
function isExactList(value: ExactJson): value is readonly ExactJson[] {
  return Array.isArray(value);
}

/** A copy with fractions spelled as Python prints floats (-2.50 becomes -2.5, 1e5 becomes 100000.0); integers keep their digits. */
export function pythonNumbers(value: ExactJson): ExactJson {
  if (typeof value === "number") {
    const text = pythonNumber(String(value));
    return text === String(value) ? value : new ExactNumber(text);
  }
  if (value instanceof ExactNumber) return new ExactNumber(pythonNumber(value.text));
  if (typeof value !== "object" || value === null) return value;
  if (isExactList(value)) return value.map(pythonNumbers);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pythonNumbers(item)]));
}

/** Python uses an exponent below 1e-4 and from 1e16, with at least two digits. */
function pythonNumber(text: string): string {
  const value = Number(text);
  if (/^-?\d+$/.test(text) || !Number.isFinite(value)) return text;
  const size = Math.abs(value);
  if (size === 0) return text.startsWith("-") ? "-0.0" : "0.0";
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
