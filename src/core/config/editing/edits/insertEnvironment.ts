/** Adds an environment to a configuration's text. */

import type { JsonObject } from "../../../json.ts";
import { isDatasetEnvironment } from "../../fields/presets.ts";
import { languageOf, readYaml } from "../../source/yamlSource.ts";
import type { TextEdit } from "../text/textEdit.ts";
import { findPair } from "./pairEdits.ts";
import { type EditOptions, setValueIn } from "./setValue.ts";

export interface InsertOptions extends EditOptions {
  /** The settings of the environment; by default the `train` split and a group size. */
  readonly entry?: JsonObject | undefined;
  /** Whether the environment has a `test` split, to be evaluated; absent = not known. */
  readonly hasTest?: boolean | undefined;
}

export type Insertion =
  | { readonly kind: "edits"; readonly edits: readonly TextEdit[] }
  /** The environment is already in the file. */
  | { readonly kind: "present" }
  /** The text has syntax errors, or `environments` is written in a form that cannot be extended. */
  | { readonly kind: "impossible" };

/** Datasets need a file; this is a placeholder for the user to change. */
const DATA_FILE = "questions.jsonl";
const DEFAULT_ENTRY: JsonObject = { splits: { train: {} }, num_rollouts: 8 };

const EVALUATED = ["evaluation", "splits"];

/** The edits that add `name` to `environments`, and an environment with a `test` split also to `evaluation.splits`. */
export function insertEnvironment(
  text: string,
  name: string,
  { path = "", entry, hasTest = false }: InsertOptions = {},
): Insertion {
  const source = readYaml(text, languageOf(path));
  if (source.faults.some(({ severity }) => severity === "error")) return { kind: "impossible" };
  if (findPair(source, ["environments", name]) !== null) return { kind: "present" };
  const written = entry ?? DEFAULT_ENTRY;
  const block = isDatasetEnvironment(name) ? { tasks: DATA_FILE, ...written } : written;
  const edits = setValueIn(source, ["environments", name], block);
  if (edits === null) return { kind: "impossible" };
  const isEvaluated = hasTest && findPair(source, EVALUATED) !== null;
  const more = isEvaluated ? setValueIn(source, [...EVALUATED, name], ["test"]) : null;
  return { kind: "edits", edits: [...edits, ...(more ?? [])] };
}
