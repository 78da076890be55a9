/** An alarm's suggestion in words: for a file, for a command line, and when it can come into force. */

import { formatKey } from "../../shared/format.ts";
import type { Change } from "../config/fields/field.ts";
import { shapeAt } from "../config/fields/fields.ts";
import type { AlarmEdit } from "./alarmEdits.ts";

/** As it is in a file, in one line: `environments.local/calculator.temperature: 1`. */
export function editText({ path, value }: AlarmEdit): string {
  return `${formatKey(path)}: ${JSON.stringify(value)}`;
}

/** What applying them does, for a button: `Set max_response_tokens to 96`. */
export function editsTitle(edits: readonly AlarmEdit[]): string {
  const texts = edits.map(({ path, value }) => `${path.at(-1)} to ${JSON.stringify(value)}`);
  return `Set ${[...new Set(texts)].join(" and ")}`;
}

/** As overrides and `control … set` take it: `environments.local/calculator.temperature=1`. */
export function editSetting({ path, value }: AlarmEdit): string {
  return `${formatKey(path)}=${JSON.stringify(value)}`;
}

/** When all of them can come into force in the run that they are for. */
export function editsChange(edits: readonly AlarmEdit[]): Change {
  const changes = edits.map(({ path }): Change => {
    const field = shapeAt(path);
    const change = field !== undefined && "change" in field ? field.change : null;
    return change === "tunable" || change === "fixed" ? change : "identity";
  });
  if (changes.includes("identity")) return "identity";
  return changes.includes("fixed") ? "fixed" : "tunable";
}
