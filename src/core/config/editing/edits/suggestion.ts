/** Applies several settings that a run suggests as one edit of a configuration's text. */

import type { Json } from "../../../json.ts";
import { type CheckedText, checkText } from "../../check.ts";
import { isSame } from "../../fields/sameValue.ts";
import { valueAt } from "../../rules/issues.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { ownPlace } from "../../stages.ts";
import { applyEdits, editBetween, type TextEdit } from "../text/textEdit.ts";
import { type EditOptions, setValueIn } from "./setValue.ts";

/** A key path and the value to set. */
export interface SuggestedSetting {
  readonly path: KeyPath;
  readonly value: Json;
}

export interface SuggestionOptions extends EditOptions {
  /** The stage of the suggesting run; null for the stage that the text chooses, if any. */
  readonly stage?: string | null | undefined;
}

/** Path in the text where a suggested setting is, or would be written. */
export function suggestedPlace(text: string, path: KeyPath, options: SuggestionOptions): KeyPath {
  return placeIn(checkFor(text, options), path);
}

/** Null when a setting cannot be placed; empty when the text already has the same values, explicitly or by default. */
export function suggestionEdits(
  text: string,
  settings: readonly SuggestedSetting[],
  options: SuggestionOptions = {},
): readonly TextEdit[] | null {
  let changed = text;
  for (const setting of settings) {
    // Apply one at a time: several may go to the same place, and one may choose a stage.
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
