/** The configuration of a run that branches off from another one. */

import type { Json } from "../../../json.ts";
import { checkText } from "../../check.ts";
import { valueAt } from "../../rules/issues.ts";
import { applyEdits } from "../text/textEdit.ts";
import type { EditOptions } from "./setValue.ts";
import { type SuggestedSetting, suggestionEdits } from "./suggestion.ts";

export interface Branch {
  /** Of the run that it leaves, as `key=value`: the new run has them in its file. */
  readonly overrides: readonly string[];
  /** Where it begins: a `tinker://` path of weights with their optimizer. */
  readonly statePath: string;
  /** What it does differently. */
  readonly edits: readonly SuggestedSetting[];
}

/** The text of the run that it leaves, changed; null when it has a fault of syntax or no place for a setting. */
export function branchText(
  text: string,
  { overrides, statePath, edits }: Branch,
  { path = "" }: EditOptions,
): string | null {
  const { overridden } = checkText(text, { path, overrides });
  const given = overridden.applied.map((override) => ({
    path: override.path,
    value: valueAt(overridden.values, override.path) as Json, // was read from YAML
  }));
  const start = [
    { path: ["init_from"], value: null },
    { path: ["resume_from"], value: statePath },
  ];
  // The last one of a key counts.
  const settings = new Map<string, SuggestedSetting>(
    [...given, ...start, ...edits].map((setting) => [JSON.stringify(setting.path), setting]),
  );
  const changes = suggestionEdits(text, [...settings.values()], { path });
  return changes === null ? null : applyEdits(text, changes);
}
