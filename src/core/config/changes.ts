/** Finds the keys that differ between two configurations and whether a run may continue with the new one. */

import { formatKey } from "../../shared/format.ts";
import type { Json } from "../json.ts";
import type { Change, FieldTable } from "./fields/field.ts";
import { configFields } from "./fields/fields.ts";
import { isObject, isSame, ownValue } from "./fields/sameValue.ts";
import type { Config } from "./fields/schema.ts";
import { redactSecrets } from "./secretValues.ts";
import type { KeyPath } from "./source/keyPath.ts";

export interface ConfigChange {
  /** Dotted path of the key. */
  readonly path: string;
  /** `identity` keys define the run, so they cannot change at a resume. */
  readonly change: Change;
}

/** All keys whose values differ, in the order of the field table. */
export function configChanges(before: Config, after: Config): readonly ConfigChange[] {
  return tableChanges(configFields, before, after, []);
}

function tableChanges(
  fields: FieldTable,
  before: object,
  after: object,
  path: KeyPath,
): readonly ConfigChange[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const a = ownValue(before, key);
    const b = ownValue(after, key);
    const place = [...path, key];
    if (isSame(a, b)) return [];
    const inner = field.type === "map" && field.of.type === "object" ? field.of.fields : null;
    if (inner === null || !isObject(a) || !isObject(b)) {
      return [{ path: formatKey(place), change: field.change }];
    }
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name): readonly ConfigChange[] => {
      const one = ownValue(a, name);
      const other = ownValue(b, name);
      if (isObject(one) && isObject(other))
        return tableChanges(inner, one, other, [...place, name]);
      return [{ path: formatKey([...place, name]), change: field.change }];
    });
  });
}

/** A setting's value before and after; null where it has none. */
export interface SettingChange {
  readonly path: KeyPath;
  readonly before: Json;
  readonly after: Json;
}

/** All values that differ, with a list counted as one value. Secrets are left out. */
export function settingChanges(before: Config, after: Config): readonly SettingChange[] {
  return valueChanges(redactSecrets(before), redactSecrets(after), []);
}

function valueChanges(before: unknown, after: unknown, path: KeyPath): readonly SettingChange[] {
  if (isSame(before, after)) return [];
  if (!isObject(before) || !isObject(after)) {
    // A configuration is JSON.
    return [{ path, before: (before ?? null) as Json, after: (after ?? null) as Json }];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) =>
    valueChanges(ownValue(before, key), ownValue(after, key), [...path, key]),
  );
}
