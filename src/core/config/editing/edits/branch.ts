/** Creates the configuration of a run that branches off another run, and the names of the file and the run. */

import type { Json } from "../../../json.ts";
import { checkText } from "../../check.ts";
import { valueAt } from "../../rules/issues.ts";
import { applyEdits } from "../text/textEdit.ts";
import type { EditOptions } from "./setValue.ts";
import { type SuggestedSetting, suggestionEdits } from "./suggestion.ts";

export interface BranchPoint {
  /** Base name of the configuration that the original run was started with. */
  readonly fileName: string;
  /** Name of the original run. */
  readonly runName: string;
  /** Completed steps at the checkpoint. */
  readonly step: number;
}

/** Maximum length of a run folder's name. */
const MAX_RUN_NAME = 80;

/**
 * Base name of the file, such as `math-step-10.tinker.yaml`. Pass a `count` of 2 or more when earlier names are taken. The name matches
 * one of `patterns` (`*` is any text), if any of them has exactly one `*`.
 */
export function branchFileName(
  { fileName, step }: Pick<BranchPoint, "fileName" | "step">,
  patterns: readonly string[],
  count: number,
): string {
  const name = (stem: string): string => `${stem}-step-${step}${count === 1 ? "" : `-${count}`}`;
  const parts = patterns.map((pattern) => pattern.split("*")).filter(({ length }) => length === 2);
  const affixes = parts.map(([before = "", after = ""]) => ({ before, after }));
  const own = affixes.find(
    ({ before, after }) =>
      fileName.length > before.length + after.length &&
      fileName.startsWith(before) &&
      fileName.endsWith(after),
  );
  if (own !== undefined) {
    const stem = fileName.slice(own.before.length, fileName.length - own.after.length);
    return `${own.before}${name(stem)}${own.after}`;
  }
  const dot = fileName.lastIndexOf(".");
  const [stem, extension] =
    dot < 1 ? [fileName, ""] : [fileName.slice(0, dot), fileName.slice(dot)];
  // JSON is also valid YAML.
  const other = affixes.find(({ after }) => after.endsWith(extension)) ?? affixes[0];
  return other === undefined
    ? `${name(stem)}${extension}`
    : `${other.before}${name(stem)}${other.after}`;
}

/** The `run_name` of the branch. */
export function branchRunName({ runName, step }: Pick<BranchPoint, "runName" | "step">): string {
  const end = `-step-${step}`;
  const plain = runName.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return `${(plain === "" ? "run" : plain).slice(0, MAX_RUN_NAME - end.length)}${end}`;
}

export interface Branch {
  /** The overrides of the original run, as `key=value`, which are written into the new file. */
  readonly overrides: readonly string[];
  /** Starting point: a `tinker://` path of weights with optimizer state. */
  readonly statePath: string;
  /** Settings that the branch changes. */
  readonly edits: readonly SuggestedSetting[];
  /** Its `run_name`. */
  readonly runName: string;
  /** Where it branches off, for its first line. */
  readonly from: {
    readonly run: string;
    readonly checkpoint: string;
    /** Completed steps. */
    readonly step: number;
  };
}

/** Marks the file as a configuration, whatever its name, and records where it comes from. */
const FIRST_LINE = /^# tinker-rl: config, branched from .*(?:\r?\n|$)/;

/**
 * The original run's text with the overrides and edits applied, its own run name, and a first line that says where it comes from. Null
 * when the original is invalid or a setting cannot be placed.
 */
export function branchText(
  text: string,
  { overrides, statePath, edits, runName, from }: Branch,
  { path = "" }: EditOptions,
): string | null {
  if (checkText(text, { path }).config === null) return null;
  const { overridden } = checkText(text, { path, overrides });
  const given = overridden.applied.map((override) => ({
    path: override.path,
    value: valueAt(overridden.values, override.path) as Json, // was parsed from YAML
  }));
  const start = [
    { path: ["init_from"], value: null },
    { path: ["resume_from"], value: statePath },
    { path: ["run_name"], value: runName },
    { path: ["wandb_run_name"], value: null },
    { path: ["openreward_run_name"], value: null },
  ];
  // The stage comes first because it decides where the other settings go. For repeated keys, the last one wins.
  const chosen = (valueAt(overridden.values, ["stage"]) ?? null) as Json; // was parsed from YAML
  const stage = { path: ["stage"], value: chosen };
  const settings = new Map<string, SuggestedSetting>(
    [stage, ...given, ...start, ...edits].map((setting) => [JSON.stringify(setting.path), setting]),
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
