/** Adds an environment to a configuration's text. */

import { isDatasetEnvironment } from "../../fields/presets.ts";
import { languageOf, readYaml } from "../../source/yamlSource.ts";
import type { TextEdit } from "../text/textEdit.ts";
import { findPair } from "./pairEdits.ts";
import { type EditOptions, setValueIn } from "./setValue.ts";

export interface InsertOptions extends EditOptions {
  /** The split to train on. */
  readonly split?: string;
}

export type Insertion =
  | { readonly kind: "edits"; readonly edits: readonly TextEdit[] }
  /** The environment is already in the file. */
  | { readonly kind: "present" }
  /** The text has faults of syntax, or writes its environments in a way that cannot be added to. */
  | { readonly kind: "impossible" };

const GROUP_SIZE = 8;
/** A dataset needs a file; this one is for the user to change. */
const DATA_FILE = "questions.jsonl";

/** The edits that add `name` with one split and a group size, beside the environments that are there. */
export function insertEnvironment(
  text: string,
  name: string,
  { path = "", split = "train" }: InsertOptions = {},
): Insertion {
  const source = readYaml(text, languageOf(path));
  if (source.faults.some(({ severity }) => severity === "error")) return { kind: "impossible" };
  if (findPair(source, ["environments", name]) !== null) return { kind: "present" };
  const common = { splits: { [split]: {} }, num_rollouts: GROUP_SIZE };
  const block = isDatasetEnvironment(name) ? { tasks: DATA_FILE, ...common } : common;
  const edits = setValueIn(source, ["environments", name], block);
  return edits === null ? { kind: "impossible" } : { kind: "edits", edits };
}
