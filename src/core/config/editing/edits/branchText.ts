/** The configuration of a run that branches off from another one. */

import type { Json } from "../../../json.ts";
import { checkText } from "../../check.ts";
import { valueAt } from "../../rules/issues.ts";
import { applyEdits } from "../text/textEdit.ts";
import type { EditOptions } from "./setValue.ts";
import { type SuggestedSetting, suggestionEdits } from "./suggestion.ts";

export interface Branch {
  /** The overrides of the original run, as `key=value`. The new run has them in its file. */
  readonly overrides: readonly string[];
  /** Where it begins: a `tinker://` path of weights with their optimizer. */
  readonly statePath: string;
  /** What it does differently. */
  readonly edits: readonly SuggestedSetting[];
  /** Its `run_name`. */
  readonly runName: string;
  /** What it branches off from, for its first line. */
  readonly from: {
    readonly run: string;
    readonly checkpoint: string;
    /** Completed steps. */
    readonly step: number;
  };
}

/** Says that the file is a configuration, whatever its name, and where it comes from. */
const FIRST_LINE = /^# tinker-rl: config, branched from .*(?:\r?\n|$)/;

/**
 * The text of the run that it leaves, changed, with a first line that says where it comes from; null when it has a fault of syntax or
 * no place for a setting. It has a name of its own, here and at trackers.
 */
export function branchText(
  text: string,
  { overrides, statePath, edits, runName, from }: Branch,
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
    { path: ["run_name"], value: runName },
    { path: ["wandb_run_name"], value: null },
    { path: ["openreward_run_name"], value: null },
  ];
  // The last one of a key counts.
  const settings = new Map<string, SuggestedSetting>(
    [...given, ...start, ...edits].map((setting) => [JSON.stringify(setting.path), setting]),
  );
  const changes = suggestionEdits(text, [...settings.values()], { path });
  if (changes === null) return null;
  const changed = applyEdits(text, changes)
    .replace(/^\uFEFF/, "")
    .replace(FIRST_LINE, "");
  return `${firstLine(from)}\n${changed}`;
}

function firstLine({ run, checkpoint, step }: Branch["from"]): string {
  const line = `# tinker-rl: config, branched from ${run} at ${checkpoint}, after step ${step}`;
  return line.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ");
}
