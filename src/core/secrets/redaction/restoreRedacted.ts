/** Compares a redacted copy with its original. */

import { fitsParts } from "../../../shared/wildcard.ts";
import { isJsonObject } from "../../json.ts";
import { REDACTED_MARK } from "./redactor.ts";

/**
 * Replaces texts in `cleaned` with those of `plain` if they differ only by redaction, so that the remaining differences are real
 * changes.
 */
export function restoreRedacted<T>(cleaned: T, plain: unknown): T {
  // Sound because only texts are replaced, by texts.
  return part(cleaned, plain) as T;
}

function part(cleaned: unknown, plain: unknown): unknown {
  if (typeof cleaned === "string") {
    return typeof plain === "string" && isCleanedFrom(cleaned, plain) ? plain : cleaned;
  }
  if (Array.isArray(cleaned)) {
    const items: readonly unknown[] = Array.isArray(plain) ? plain : [];
    return cleaned.map((item, index) => part(item, items[index]));
  }
  if (!isJsonObject(cleaned)) return cleaned;
  const entries = Object.entries(cleaned);
  const others = isJsonObject(plain) ? new Map(Object.entries(plain)) : new Map();
  return Object.fromEntries(entries.map(([key, item]) => [key, part(item, others.get(key))]));
}

/** True if `plain` equals `cleaned` with some text in place of each mark. */
function isCleanedFrom(cleaned: string, plain: string): boolean {
  return fitsParts(plain, cleaned.split(REDACTED_MARK));
}
