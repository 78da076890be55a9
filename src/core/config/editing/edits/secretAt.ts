/** The secret that is written at a place of a configuration, to be taken to where it is kept. */

import { isScalar } from "yaml";
import { secretVariable } from "../../fields/environmentServers.ts";
import { isSecret, shapeAt } from "../../fields/fields.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { entryAt } from "../../source/locate.ts";
import { scalarText } from "../../source/yamlNodes.ts";
import { languageOf, readYaml } from "../../source/yamlSource.ts";
import type { TextEdit } from "../text/textEdit.ts";
import { type EditOptions, setValueIn } from "./setValue.ts";

export interface WrittenSecret {
  /** The variable that it is looked up as. */
  readonly name: string;
  readonly value: string;
  /** Puts null in its place, so that it is looked up. */
  readonly edits: readonly TextEdit[];
}

/** Null when no secret is written there. */
export function secretAt(
  text: string,
  path: KeyPath,
  { path: file = "" }: EditOptions = {},
): WrittenSecret | null {
  const source = readYaml(text, languageOf(file));
  const node = source.resolve(entryAt(source, path)?.value ?? null);
  if (!isSecret(shapeAt(path)) || !isScalar(node) || node.value === null) return null;
  const edits = setValueIn(source, path, null);
  const name = secretVariable(path);
  return edits === null ? null : { name, value: scalarText(node.value, node.source), edits };
}
