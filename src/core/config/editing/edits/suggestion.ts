/** Several settings as one change of a configuration's text, for the suggestions of a run. */

import type { Json } from "../../../json.ts";
import { type CheckedText, checkText } from "../../check.ts";
import { isSame } from "../../fields/sameValue.ts";
import { valueAt } from "../../rules/issues.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { ownPlace } from "../../stages.ts";
import { applyEdits, editBetween, type TextEdit } from "../text/textEdit.ts";
import { type EditOptions, setValueIn } from "./setValue.ts";

/** A key, from the root, and the value that it should have. */
export interface SuggestedSetting {
  readonly path: KeyPath;
  readonly value: Json;
}

export interface SuggestionOptions extends EditOptions {
  /** The stage of the run that suggests; null = the one that the text chooses, if any. */
  readonly stage?: string | null | undefined;
}

/** Where the text has a setting that is suggested, or would have it. */
export function suggestedPlace(text: string, path: KeyPath, options: SuggestionOptions): KeyPath {
  return placeIn(checkFor(text, options), path);
}

/** Null when the text has no place for them; empty when it says the same already, written out or by its defaults. */
export function suggestionEdits(
  text: string,
  settings: readonly SuggestedSetting[],
  options: SuggestionOptions = {},
): readonly TextEdit[] | null {
  let changed = text;
  for (const setting of settings) {
    // One after the other: several may be added at the same place, and one may choose a stage.
    const checked = checkFor(changed, options);
    const { config, source } = checked;
    if (source.faults.some(({ severity }) => severity === "error")) return null;
    if (isSame(valueAt(config, setting.path), setting.value)) continue;
    const edits = setValueIn(source, placeIn(checked, setting.path), setting.value);
    if (edits === null) return null;
    changed = applyEdits(changed, edits);
  }
  return changed === text ? [] : [editBetween(text, changed)];
}

function checkFor(text: string, { path = "", stage = null }: SuggestionOptions): CheckedText {
  return checkText(text, { path, overrides: stage === null ? [] : [`stage=${stage}`] });
}

function placeIn({ source, overridden }: CheckedText, path: KeyPath): KeyPath {
  const chosen = valueAt(overridden.values, ["stage"]);
  return ownPlace(source, typeof chosen === "string" ? chosen : null, path);
}
