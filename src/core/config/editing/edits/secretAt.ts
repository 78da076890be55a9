/** Finds a secret written in a configuration, so that it can be moved to the secret store. */

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
  /** Name of the variable under which it is looked up. */
  readonly name: string;
  readonly value: string;
  /** Replaces it with null, which means "look it up". */
  readonly edits: readonly TextEdit[];
}

/** Null when `path` holds no secret. */
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
