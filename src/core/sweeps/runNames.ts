/** Names of a sweep's runs, derived from their settings and suitable as folder names. */

import { MAX_NAME_LENGTH } from "../runFolder/runFolder.ts";
import { shortSettings } from "../runs/shownNames.ts";
import { withoutEnd } from "../util/textEdges.ts";

/** A name for each combination: `SWEEP.key_value.key_value`. Names differ by more than case. */
export function runNames(
  sweep: string,
  combinations: readonly (readonly string[])[],
): readonly string[] {
  const taken = new Set<string>();
  return combinations.map((settings, index) => {
    const whole = [sweep, ...namedSettings(settings)].join(".");
    const isFree = whole.length <= MAX_NAME_LENGTH && !taken.has(whole.toLowerCase());
    const end = `.${index + 1}`;
    const name = isFree ? whole : `${whole.slice(0, MAX_NAME_LENGTH - end.length)}${end}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** Removes characters that a run's name cannot have. Allowed: letters, digits, dots, dashes, underscores. */
export function plainName(text: string): string {
  const dashed = text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  const plain = withoutEnd(dashed, /[-.]/);
  return plain === "" ? "sweep" : plain;
}

/** `key_value` texts. A key is shortened to its last part if that is unique. */
function namedSettings(settings: readonly string[]): readonly string[] {
  return shortSettings(settings).map(({ key, value }) => {
    const shown = value
      .replace(/^[^A-Za-z0-9-]+/, "")
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/-$/, "");
    return `${plainName(key)}_${shown === "" ? "empty" : shown}`;
  });
}
