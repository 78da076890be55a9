/** Compares a redacted copy with its original. */

import { fitsParts } from "../../../shared/wildcard.ts";
import { isJsonObject } from "../../json.ts";
import { REDACTED_MARK } from "./redactor.ts";

/**
 * `cleaned` with the texts of `plain` wherever they are the same but for what was taken out of them, so that both differ only
 * where something else has changed.
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

/** True when `plain` becomes `cleaned` once something stands for each mark in it. */
function isCleanedFrom(cleaned: string, plain: string): boolean {
  return fitsParts(plain, cleaned.split(REDACTED_MARK));
}
