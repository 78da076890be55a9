/** The text of a configuration with the settings in it that stand beside it: what a run has used, as one file. */

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

/** What overrides set, in their order. */
export function overrideSettings(text: string, overrides: readonly string[]): readonly Setting[] {
  const { applied, values } = applyOverrides(valuesIn(text), overrides);
  return applied.map(({ path }) => ({ path, value: valueAt(values, path) }));
}

/** The last one of each wins. Comments stay. A setting that no edit can put in its place is a comment at the end. */
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
  // Read from YAML, so it is JSON.
  return (value ?? null) as Json;
}
