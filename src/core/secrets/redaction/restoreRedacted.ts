/** Compares a redacted copy with its original. */

import { fitsParts } from "../../../shared/wildcard.ts";
import { isJsonObject } from "../../json.ts";
import { REDACTED_MARK } from "./redactor.ts";

/**
 * Replaces texts and keys in `cleaned` with the texts, numbers and keys of `plain` that differ only by redaction, so that the remaining
 * differences are real changes.
 */
export function restoreRedacted(cleaned: unknown, plain: unknown): unknown {
  if (typeof cleaned === "string") {
    const isText = typeof plain === "string" || typeof plain === "number";
    return isText && isCleanedFrom(cleaned, String(plain)) ? plain : cleaned;
  }
  if (Array.isArray(cleaned)) {
    const items: readonly unknown[] = Array.isArray(plain) ? plain : [];
    return cleaned.map((item, index) => restoreRedacted(item, items[index]));
  }
  if (!isJsonObject(cleaned)) return cleaned;
  const others = new Map(isJsonObject(plain) ? Object.entries(plain) : []);
  const restored = Object.entries(cleaned).map(([key, item]) => {
    const own = others.has(key) ? key : ([...others.keys()].find(isKeyOf(key, cleaned)) ?? key);
    return [own, restoreRedacted(item, others.get(own))];
  });
  return Object.fromEntries(restored);
}

/** Whether a plain key is the one that `key` of `cleaned` was. */
function isKeyOf(key: string, cleaned: object): (plain: string) => boolean {
  return (plain) => !Object.hasOwn(cleaned, plain) && isCleanedFrom(key, plain);
}

/** True if `plain` equals `cleaned` with some text in place of each mark. */
function isCleanedFrom(cleaned: string, plain: string): boolean {
  return fitsParts(plain, cleaned.split(REDACTED_MARK));
}
