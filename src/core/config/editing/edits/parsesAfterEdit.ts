/** The last check of every offered edit: the text must still parse after it. */

import { readYaml, type YamlSource } from "../../source/yamlSource.ts";
import { applyEdits, overlap, type TextEdit } from "../text/textEdit.ts";

/** True when the edits do not overlap and add no syntax error. */
export function parsesAfterEdit(source: YamlSource, edits: readonly TextEdit[]): boolean {
  if (overlap(edits)) return false;
  const after = readYaml(applyEdits(source.text, edits), source.language);
  return faults(after) === 0 || faults(after) < faults(source);
}

function faults(source: YamlSource): number {
  return source.faults.filter(({ severity }) => severity === "error").length;
}
