/** Makes all requests about a configuration that an editor makes, each timed separately. */

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { complete } from "../../../src/core/config/editing/completion/complete.ts";
import { diagnose } from "../../../src/core/config/editing/diagnostics/diagnose.ts";
import { effectiveConfig } from "../../../src/core/config/editing/display/effective.ts";
import { hover } from "../../../src/core/config/editing/display/hover.ts";
import { lenses } from "../../../src/core/config/editing/display/lenses.ts";
import { links } from "../../../src/core/config/editing/display/links.ts";
import { fixAll, fixesAt } from "../../../src/core/config/editing/fixes/fixes.ts";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { CATALOGUE } from "../../core/config/editing/aCatalogue.ts";

/** A document of this size alone takes much of the memory, before any extension reads it. */
const MAX_TEXT = 20_000_000;

export async function askAll(path: string, show: (shown: unknown) => void): Promise<void> {
  const text = openedText(path);
  if (text === null) return;
  const options = { path, catalogue: CATALOGUE };
  const middle = Math.floor(text.length / 2);
  const questions = [
    () => diagnose(text, options),
    () => fixesAt(text, { start: 0, end: middle }, options),
    () => fixAll(text, options),
    () => complete(text, middle, options),
    () => hover(text, middle, options),
    () => lenses(text, { path, catalogue: CATALOGUE, status: { kind: "none" } }),
    () => links(text, { path }),
    () => effectiveConfig(text, options),
    () => parseConfig(text, { path }),
  ];
  for (const ask of questions) {
    ask();
    await turn();
  }
  // A person seeing the text of a file they opened is no leak; messages about it must not quote it.
  for (const { message } of diagnose(text, options)) show(message);
}

/** As the editor opens it: a regular file, decoded as UTF-8; null for files it does not open. */
function openedText(path: string): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      const isPlain = fstatSync(file).isFile() && size <= MAX_TEXT;
      return isPlain ? readFileSync(file, "utf8") : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
