/** Removes secret values from everything that leaves the program: logs, files, trackers, messages. */

import { AppError, isAppError } from "../errors.ts";
import { isJsonObject, type Json } from "../json.ts";
import { encodedForms } from "./encodedForms.ts";

/** Shorter values would blank out ordinary text. */
const MIN_SECRET_LENGTH = 6;
/** Shorter than any form, so that repeated cleaning comes to an end. */
export const MARK = "***";
/** What the program's own records call their fields; keys from outside look like this only by chance. */
const OWN_KEY = /^[A-Za-z_]+$/;

/** Learns values as they are resolved and replaces them, and their encoded forms, by `***`. */
export class Redactor {
  readonly #values = new Set<string>();
  #pattern: RegExp | null = null;

  /** Values under 6 characters are ignored. */
  learn(value: string): void {
    if (value.length < MIN_SECRET_LENGTH || this.#values.has(value)) return;
    this.#values.add(value);
    const longestFirst = [...this.#values].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.flatMap(encodedForms).join("|"), "g");
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

  /**
   * Cleans a record that must keep its shape: strings anywhere in it, numbers that are a learnt value as a whole, and keys
   * that are not plain words. For rollouts and other lines that a schema reads again.
   */
  cleanRecord<T extends object>(record: T): T {
    // Sound for JSON-like records: text stays text, and the program's own keys and numbers stay as they are.
    return this.#cleanPart(record) as T;
  }

  /** The error as it may be shown: message, stack, data and causes cleaned. Anything else that was thrown becomes cleaned text. */
  cleanError(error: unknown): unknown {
    if (!(error instanceof Error)) return typeof error === "string" ? this.clean(error) : error;
    const cause = error.cause === undefined ? {} : { cause: this.cleanError(error.cause) };
    const message = this.clean(error.message);
    const cleaned = isAppError(error)
      ? new AppError(error.code, message, {
          ...cause,
          data: this.cleanRecord(error.data),
          ...(error.configPath !== undefined && { configPath: error.configPath }),
        })
      : new Error(message, cause);
    cleaned.name = error.name;
    if (error.stack !== undefined) cleaned.stack = this.clean(error.stack);
    return cleaned;
  }

  #cleanPart(value: unknown): unknown {
    if (typeof value === "string") return this.clean(value);
    if (typeof value === "number") return this.#values.has(String(value)) ? MARK : value;
    if (Array.isArray(value)) return value.map((item) => this.#cleanPart(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        OWN_KEY.test(key) ? key : this.clean(key),
        this.#cleanPart(item),
      ]),
    );
  }
}
