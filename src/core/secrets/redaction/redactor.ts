/** Removes secret values from everything that leaves the program: logs, files, trackers, messages. */

import { AppError, isAppError } from "../../errors.ts";
import { isJsonObject, type Json } from "../../json.ts";
import { escapePattern } from "../../util/escapePattern.ts";
import { type DigitSearch, digitSearch } from "./digits.ts";
import { escapedSpans } from "./escapes.ts";
import { joined, NO_SPANS, type Span } from "./spans.ts";

/** Shorter values would blank out ordinary text. */
const MIN_SECRET_LENGTH = 6;
/** Shorter lines of a value may occur in ordinary text. */
const MIN_LINE_LENGTH = 16;
/** Shorter than any value, so that repeated redaction terminates. */
export const REDACTED_MARK = "***";
/** Depth of nested escapes to decode, such as JSON in JSON. */
const MAX_NESTING = 2;
/** Form of the program's own record keys; external keys match it only by chance. */
const OWN_KEY = /^[A-Za-z_]+$/;

interface Secrets {
  readonly pattern: RegExp;
  /** Shorter texts cannot contain a secret. */
  readonly minLength: number;
  readonly digitSpans: DigitSearch;
}

/** Learns values as they are resolved and replaces them with `***`, including encoded forms. */
export class Redactor {
  readonly #values = new Set<string>();
  #secrets: Secrets | null = null;

  /** Values under 6 characters are ignored. */
  learn(value: string): void {
    const known = this.#values.size;
    for (const form of printedForms(value)) this.#values.add(form);
    if (this.#values.size === known) return;
    const longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
    this.#secrets = {
      pattern: new RegExp(longestFirst.map(valuePattern).join("|"), "g"),
      minLength: Math.min(...longestFirst.map((each) => each.replaceAll("\r\n", "\n").length)),
      digitSpans: digitSearch(longestFirst.flatMap(encodedForms)),
    };
  }

  redact(text: string): string {
    const secrets = this.#secrets;
    if (secrets === null) return text;
    let before = text;
    let after = withoutSpans(text, secretSpans(secrets, text, MAX_NESTING));
    // The text on both sides of a mark may combine into another secret.
    while (after !== before) {
      before = after;
      after = withoutSpans(before, secretSpans(secrets, before, MAX_NESTING));
    }
    return after;
  }

  /** Redacts every string, key and number in a JSON value. */
  redactJson(value: Json): Json {
    if (typeof value === "string") return this.redact(value);
    if (typeof value === "number") {
      const text = String(value);
      const cleaned = this.redact(text);
      return cleaned === text ? value : cleaned;
    }
    if (isJsonObject(value)) {
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([key, item]) => [this.redact(key), this.redactJson(item)]),
      );
    }
    return Array.isArray(value) ? value.map((item: Json) => this.redactJson(item)) : value;
  }

  /**
   * Redacts a record that must keep its shape: all strings, numbers that equal a secret, and keys that are not plain words. For
   * rollouts and other lines that are later parsed with a schema.
   */
  redactRecord<T extends object>(record: T): T {
    // Sound for JSON-like records: strings stay strings, and the program's own keys and numbers are unchanged.
    return this.#cleanPart(record) as T;
  }

  /** The error with message, stack, data and causes redacted, for display. A thrown string is redacted too. */
  redactError(error: unknown): unknown {
    if (!(error instanceof Error)) return typeof error === "string" ? this.redact(error) : error;
    const cause = error.cause === undefined ? {} : { cause: this.redactError(error.cause) };
    const message = this.redact(error.message);
    const cleaned = isAppError(error)
      ? new AppError(error.code, message, {
          ...cause,
          data: this.redactRecord(error.data),
          configPath: error.configPath,
        })
      : new Error(message, cause);
    cleaned.name = error.name;
    if (error.stack !== undefined) cleaned.stack = this.redact(error.stack);
    return cleaned;
  }

  #cleanPart(value: unknown): unknown {
    if (typeof value === "string") return this.redact(value);
    if (typeof value === "number") return this.#values.has(String(value)) ? REDACTED_MARK : value;
    if (Array.isArray(value)) return value.map((item) => this.#cleanPart(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        OWN_KEY.test(key) ? key : this.redact(key),
        this.#cleanPart(item),
      ]),
    );
  }
}

/** Ordered, disjoint spans of `text` that contain secrets, in plain form, as digits, or escaped. */
function secretSpans(secrets: Secrets, text: string, nesting: number): readonly Span[] {
  if (text.length < secrets.minLength) return NO_SPANS;
  const found: Span[] = [];
  for (const { 0: match, index } of text.matchAll(secrets.pattern)) {
    found.push({ start: index, end: index + match.length });
  }
  for (const span of secrets.digitSpans(text)) found.push(span);
  if (nesting > 0) {
    const find = (read: string): readonly Span[] => secretSpans(secrets, read, nesting - 1);
    for (const span of escapedSpans(text, find)) found.push(span);
  }
  return found.length > 1 ? joined(found) : found;
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let rest = 0;
  const kept = spans.map(({ start, end }) => {
    const before = text.slice(rest, start);
    rest = end;
    return before;
  });
  return [...kept, text.slice(rest)].join(REDACTED_MARK);
}

/** Forms in which programs print a value: as is, without surrounding blanks, and each long line by itself. */
function printedForms(value: string): readonly string[] {
  const lines = value.split("\n").map((line) => line.trim());
  return [
    ...[value, value.trim()].filter(({ length }) => length >= MIN_SECRET_LENGTH),
    ...lines.filter(({ length }) => length >= MIN_LINE_LENGTH),
  ];
}

/** Regular expression source, without capturing groups, for a value in decoded text. */
function valuePattern(value: string): string {
  return Array.from(value.replaceAll("\r\n", "\n"), (character) => {
    // Form encoding writes spaces as plus signs.
    if (character === " ") return "[ +]";
    if (character === "\n") return "\\r?\\n";
    if (character <= "\u007f") return escapePattern(character);
    return `(?:${formsOf(character).join("|")})`;
  }).join("");
}

/** How characters may appear in decoded text: as is, well-formed, or as one character per UTF-8 byte. */
function formsOf(characters: string): readonly string[] {
  const bytes = new TextEncoder().encode(characters);
  // A lone surrogate has no UTF-8 bytes; encoders replace it with U+FFFD.
  const wellFormed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return [characters, wellFormed, Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")];
}

/** The forms that a program may encode as digits: the value itself, or the value within JSON or a URL. */
function encodedForms(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const url = encodeURIComponent(formsOf(value)[1] ?? "");
  return [...new Set([value, json, ascii, json.replaceAll("/", "\\/"), url])];
}
