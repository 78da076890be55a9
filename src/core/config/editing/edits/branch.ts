/** The configuration of a run that branches off from another one, and what it and the run are called. */

import type { Json } from "../../../json.ts";
import { checkText } from "../../check.ts";
import { valueAt } from "../../rules/issues.ts";
import { applyEdits } from "../text/textEdit.ts";
import type { EditOptions } from "./setValue.ts";
import { type SuggestedSetting, suggestionEdits } from "./suggestion.ts";

export interface BranchPoint {
  /** Base name of the configuration that the run was started with. */
  readonly fileName: string;
  /** Name of the run that is left. */
  readonly runName: string;
  /** Completed steps at the checkpoint. */
  readonly step: number;
}

/** Folders of runs have no longer name. */
const MAX_RUN_NAME = 80;

/**
 * Base name of the file, such as `math-step-10.tinker.yaml`; `count` is 2 when the first one is taken. One of `patterns`, names of
 * configurations in which `*` is any text, fits it where one of them has one `*`.
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
  // JSON is YAML, too.
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
 * The text of the run that it leaves, changed, with a first line that says where it comes from; null when no run could be started with
 * it, or it has no place for a setting. It has a name of its own, here and at trackers.
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
    value: valueAt(overridden.values, override.path) as Json, // was read from YAML
  }));
  const start = [
    { path: ["init_from"], value: null },
    { path: ["resume_from"], value: statePath },
    { path: ["run_name"], value: runName },
    { path: ["wandb_run_name"], value: null },
    { path: ["openreward_run_name"], value: null },
  ];
  // The stage is first, since it decides where the others stand. The last one of a key counts.
  const chosen = (valueAt(overridden.values, ["stage"]) ?? null) as Json; // was read from YAML
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
