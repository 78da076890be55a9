/** Formats an alarm's suggested settings for files and command lines, and says when they can take effect. */

import { formatKey } from "../../shared/format.ts";
import type { Change } from "../config/fields/field.ts";
import { shapeAt } from "../config/fields/fields.ts";
import type { AlarmEdit } from "./alarmEdits.ts";

/** As one line of a file: `environments.local/calculator.temperature: 1`. */
export function editText({ path, value }: AlarmEdit): string {
  return `${formatKey(path)}: ${JSON.stringify(value)}`;
}

/** A button title: `Set max_response_tokens to 96`. */
export function editsTitle(edits: readonly AlarmEdit[]): string {
  const texts = edits.map(({ path, value }) => `${path.at(-1)} to ${JSON.stringify(value)}`);
  return `Set ${[...new Set(texts)].join(" and ")}`;
}

/** As overrides and `control … set` accept it: `environments.local/calculator.temperature=1`. */
export function editSetting({ path, value }: AlarmEdit): string {
  return `${formatKey(path)}=${JSON.stringify(value)}`;
}

/** When all of the edits can take effect for their run. */
export function editsChange(edits: readonly AlarmEdit[]): Change {
  const changes = edits.map(({ path }): Change => {
    const field = shapeAt(path);
    const change = field !== undefined && "change" in field ? field.change : null;
    return change === "tunable" || change === "fixed" ? change : "identity";
  });
  if (changes.includes("identity")) return "identity";
  return changes.includes("fixed") ? "fixed" : "tunable";
}
