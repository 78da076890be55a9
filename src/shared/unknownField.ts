/** The error about an unknown field in a filter. */

import * as l10n from "@vscode/l10n";
import { nearestWord, normalizeWord } from "./editDistance.ts";

interface KnownFields {
  readonly names: readonly string[];
  /** Suggested if no name is near. */
  readonly examples: readonly string[];
}

/** An error message about an unknown field, with suggestions. */
export function unknownField(name: string, { names, examples }: KnownFields): string {
  const near = names.find((each) => isShortFor(name, each)) ?? nearestWord(name, names);
  if (near !== null) return l10n.t("There is no field {0}. Did you mean {1}?", name, near);
  return l10n.t("There is no field {0}. Some fields are {1}.", name, examples.join(", "));
}

/** Whether `name` abbreviates `other` by the initials of its words, such as `lr` for `learning_rate`. */
function isShortFor(name: string, other: string): boolean {
  const words = normalizeWord(other).split(/[_.]/);
  return words.length > 1 && words.map((word) => word.slice(0, 1)).join("") === normalizeWord(name);
}
