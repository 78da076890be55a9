/** Removes secret values from everything that leaves the program: logs, files, trackers, messages. */

import { isJsonObject, type Json } from "../json.ts";

/** Shorter values would blank out ordinary text. */
const MIN_SECRET_LENGTH = 6;
/** Shorter than any form, so that repeated cleaning comes to an end. */
const MARK = "***";

/** Learns values as they are resolved and replaces them, and their encoded forms, by `***`. */
export class Redactor {
  readonly #forms = new Set<string>();
  #pattern: RegExp | null = null;

  /** Values under 6 characters are ignored. */
  learn(value: string): void {
    if (value.length < MIN_SECRET_LENGTH) return;
    for (const form of encodedForms(value)) this.#forms.add(form);
    const longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(escapePattern).join("|"), "g");
  }

  clean(text: string): string {
    if (this.#pattern === null) return text;
    let before = text;
    let after = text.replace(this.#pattern, MARK);
    // What stands on both sides of a mark may form another learnt value.
    while (after !== before) {
      before = after;
      after = before.replace(this.#pattern, MARK);
    }
    return after;
  }

  /** Cleans every string, key and number in a JSON value. */
  cleanJson(value: Json): Json {
    if (typeof value === "string") return this.clean(value);
    if (typeof value === "number") {
      const text = String(value);
      const cleaned = this.clean(text);
      return cleaned === text ? value : cleaned;
    }
    if (isJsonObject(value)) {
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([key, item]) => [this.clean(key), this.cleanJson(item)]),
      );
    }
    return Array.isArray(value) ? value.map((item: Json) => this.cleanJson(item)) : value;
  }
}

/** The value as it may show up: raw, inside JSON, in a URL or a form, in base64 at any position. */
function encodedForms(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const wellFormed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const inUrl = encodeURIComponent(wellFormed);
  const inBase64 = [0, 1, 2].map((shift) => base64Core(bytes, shift));
  return [
    value,
    wellFormed,
    JSON.stringify(value).slice(1, -1),
    inUrl,
    inUrl.replaceAll("%20", "+"),
    ...inBase64,
    ...inBase64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** The base64 digits that depend on `bytes` alone when `shift` other bytes (modulo 3) come before them. */
function base64Core(bytes: Uint8Array, shift: number): string {
  const binary =
    "\0".repeat(shift) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const firstOwnDigit = Math.ceil((shift * 8) / 6);
  const endOfOwnDigits = Math.floor((binary.length * 8) / 6);
  return btoa(binary).slice(firstOwnDigit, endOfOwnDigits);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
