/** Applies several settings that a run suggests as one edit of a configuration's text. */

import type { Json } from "../../../json.ts";
import { type CheckedText, checkText } from "../../check.ts";
import { isSame } from "../../fields/sameValue.ts";
import { valueAt } from "../../rules/issues.ts";
import { SHARED_KEYS } from "../../rules/stageRules.ts";
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

/** Path in the text of the value that a suggestion is about. */
export function suggestedPlace(text: string, path: KeyPath, options: SuggestionOptions): KeyPath {
  const checked = checkFor(text, options);
  return ownPlace(checked.source, chosenStage(checked), path);
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
    const { path, value } = setting;
    const stage = chosenStage(checked);
    // In the stage, so that the others keep their value.
    const isOfStage = stage !== null && !SHARED_KEYS.includes(path[0] ?? "");
    const place = isOfStage ? ["stages", stage, ...path] : path;
    const edits = setValueIn(source, place, value);
    if (edits === null) return null;
    changed = applyEdits(changed, edits);
  }
  return changed === text ? [] : [editBetween(text, changed)];
}

function checkFor(text: string, { path = "", stage = null }: SuggestionOptions): CheckedText {
  return checkText(text, { path, overrides: stage === null ? [] : [`stage=${stage}`] });
}

function chosenStage({ overridden }: CheckedText): string | null {
  const stage = valueAt(overridden.values, ["stage"]);
  return typeof stage === "string" ? stage : null;
}
