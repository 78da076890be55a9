/** Writes settings from outside a configuration into its text, so that one file holds everything a run used. */

import { formatKey } from "../../../../shared/format.ts";
import { isJsonObject, type Json } from "../../../json.ts";
import { coerce } from "../../fields/coerce.ts";
import { configShape } from "../../fields/fields.ts";
import { isSame } from "../../fields/sameValue.ts";
import { applyOverrides } from "../../overrides.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { readYaml } from "../../source/yamlSource.ts";
import { applyEdits } from "../text/textEdit.ts";
import { setValue } from "./setValue.ts";

export interface Setting {
  readonly path: KeyPath;
  readonly value: Json;
}

/** The values that overrides set, in order. */
export function overrideSettings(text: string, overrides: readonly string[]): readonly Setting[] {
  const { applied, values } = applyOverrides(valuesIn(text), overrides);
  return applied.map(({ path }) => ({ path, value: valueAt(values, path) }));
}

/** The last setting of each key wins. Comments stay. A setting that cannot be placed becomes a comment at the end. */
export function withSettings(text: string, settings: readonly Setting[]): string {
  const written = valuesIn(text);
  const last = new Map(settings.map((setting) => [formatKey(setting.path), setting]));
  const left: string[] = [];
  let after = text;
  for (const { path, value } of last.values()) {
    if (isSame(valueAt(written, path), value)) continue;
    const edits = setValue(after, path, value);
    if (edits === null) left.push(`# ${formatKey(path)}=${JSON.stringify(value)}`);
    else after = applyEdits(after, edits);
  }
  return left.length === 0 ? after : [after.trimEnd(), ...left, ""].join("\n");
}

function valuesIn(text: string): unknown {
  const source = readYaml(text, "yaml");
  return coerce(source, source.root, configShape);
}

function valueAt(values: unknown, path: KeyPath): Json {
  let value = values;
  for (const key of path) {
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : null;
  }
  // Parsed from YAML, so it is JSON.
  return (value ?? null) as Json;
}
