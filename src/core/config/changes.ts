/** Which keys differ between two configurations, and whether a run may go on with the new one. */

import type { Change, FieldTable } from "./field.ts";
import { configFields } from "./fields.ts";
import type { Config } from "./schema.ts";

export interface ConfigChange {
  /** Dotted path of the key. */
  readonly path: string;
  /** `identity` keys decide what a run is: they cannot change in a resume. */
  readonly change: Change;
}

/** All keys with different values, in the order of the field table. */
export function configChanges(before: Config, after: Config): readonly ConfigChange[] {
  return tableChanges(configFields, before, after, []);
}

function tableChanges(
  fields: FieldTable,
  before: object,
  after: object,
  path: readonly string[],
): readonly ConfigChange[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const a = valueAt(before, key);
    const b = valueAt(after, key);
    const place = [...path, key];
    if (isSame(a, b)) return [];
    const inner = field.type === "map" && field.of.type === "object" ? field.of.fields : null;
    if (inner === null || !isObject(a) || !isObject(b)) {
      return [{ path: place.join("."), change: field.change }];
    }
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name): readonly ConfigChange[] => {
      const one = valueAt(a, name);
      const other = valueAt(b, name);
      if (isObject(one) && isObject(other))
        return tableChanges(inner, one, other, [...place, name]);
      return [{ path: [...place, name].join("."), change: field.change }];
    });
  });
}

/** The order of keys in a mapping means nothing; that of items in a list does. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(valueAt(a, key), valueAt(b, key)))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(container: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(container, key)?.value;
}
