/** What the runs of a sweep are called: by their settings, as names of folders. */

import { MAX_NAME_LENGTH } from "../runFolder/runFolder.ts";
import { shortSettings } from "../runs/shownNames.ts";
import { withoutEnd } from "../util/textEdges.ts";

/** A name for each combination, `SWEEP.key_value.key_value`; all differ, also where upper and lower case are the same. */
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

/** Only what a run's name may hold: letters, digits, dots, dashes and underscores, the first one a letter or digit. */
export function plainName(text: string): string {
  const dashed = text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  const plain = withoutEnd(dashed, /[-.]/);
  return plain === "" ? "sweep" : plain;
}

/** `key_value` each; a key by its last part where no other key ends with the same. */
function namedSettings(settings: readonly string[]): readonly string[] {
  return shortSettings(settings).map(({ key, value }) => {
    const shown = value
      .replace(/^[^A-Za-z0-9-]+/, "")
      .replace(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/-$/, "");
    return `${plainName(key)}_${shown === "" ? "empty" : shown}`;
  });
}
