/** Links to commands in the manifest's texts. */

import { COMMANDS } from "../../src/host/manifest/commandTable.ts";

/** `tinkerRL.runs.focus` and the like are VS Code's own commands about our views. */
const LINK = /command:tinkerRL\.(\w+)(?![\w.])/g;

/** `lines` without those that link to a command of ours which does not exist. */
export function withoutPlanned(lines: readonly string[]): readonly string[] {
  return lines.filter((line) =>
    [...line.matchAll(LINK)].every(([, id]) => id !== undefined && COMMANDS.has(id)),
  );
}
