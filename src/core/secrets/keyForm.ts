/** Checks the form of keys, and of header values in general. */

import { AppError } from "../errors.ts";
import type { NamedValue } from "./hostBinding.ts";
import { keyText } from "./keySource.ts";

/** What is wrong with a service's key, phrased to follow its name; null if it looks valid. */
export function keyFault(key: string): string | null {
  if (key !== key.trim()) return "has spaces or line ends around it";
  if (/^(["']).*\1$/.test(key)) return "has quotes around it";
  return /^[\x20-\x7e]*$/.test(key) ? null : "contains characters that no key has";
}

/** The same for other header values, which may have surrounding quotes, tabs and spaces. */
export function headerFault(value: string): string | null {
  const isSendable = /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isSendable ? null : "contains a line end, or another character that no header can carry";
}

/** @throws AppError `key-invalid`, which names the variable and its source */
export function requireKeyForm(key: NamedValue, faultOf = keyFault): void {
  const fault = faultOf(key.value);
  if (fault === null) return;
  throw new AppError("key-invalid", `${keyText(key)} ${fault}. Correct it where it is set.`, {
    data: { name: key.name },
  });
}
