/** What any key looks like, and any value that a header can carry. */

import { AppError } from "../errors.ts";
import type { NamedValue } from "./hostBinding.ts";
import { keyText } from "./keySource.ts";

/** What is wrong with a key of any service, in words that follow its name; null when it can be one. */
export function keyFault(key: string): string | null {
  if (key !== key.trim()) return "has spaces or line ends around it";
  if (/^(["']).*\1$/.test(key)) return "has quotes around it";
  return /^[\x20-\x7e]*$/.test(key) ? null : "contains characters that no key has";
}

/** The same for the value of a header that is no key of a service: it may have quotes, tabs and spaces around it. */
export function headerFault(value: string): string | null {
  const isSendable = /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isSendable ? null : "contains a line end, or another character that no header can carry";
}

/** @throws AppError `key-invalid`, which names the variable and where it was found */
export function requireKeyForm(key: NamedValue, faultOf = keyFault): void {
  const fault = faultOf(key.value);
  if (fault === null) return;
  throw new AppError("key-invalid", `${keyText(key)} ${fault}. Correct it where it is set.`, {
    data: { name: key.name },
  });
}
