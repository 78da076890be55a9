/** Finds keys written next to the empty key they belong under: one finding for a missing indentation, however many keys follow. */

import { isJsonObject } from "../../json.ts";
import type { Shape } from "../fields/field.ts";
import { childShape, shapeAt } from "../fields/fields.ts";
import { conflict, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";

export interface Unindented {
  readonly finding: Finding;
  /** The keys that the finding covers. */
  readonly keys: readonly string[];
  /** Path of the empty key. */
  readonly below: KeyPath;
}

/** `unknown` lists unknown keys of the mapping `siblings` at `path`, whose shape is `parent`. */
export function unindentedKeys(
  path: KeyPath,
  unknown: readonly string[],
  siblings: unknown,
  parent: Shape | undefined,
): readonly Unindented[] {
  if (!isJsonObject(siblings) || parent === undefined) return [];
  const found: Unindented[] = [];
  const names = Object.keys(siblings);
  for (const [index, holder] of names.entries()) {
    const shape = unknown.includes(holder) ? undefined : childShape(parent, holder);
    if (shape === undefined || !isEmpty(siblings[holder])) continue;
    const stop = names.findIndex((name, at) => at > index && !unknown.includes(name));
    const keys = names.slice(index + 1, stop < 0 ? undefined : stop);
    const [first] = keys;
    if (first === undefined || !keys.every((key) => belongs(key, siblings[key], shape))) continue;
    const end = names[stop];
    found.push({
      finding: unindented([...path, first], holder, end === undefined ? null : [...path, end]),
      keys,
      below: [...path, holder],
    });
  }
  return found;
}

/** Environment fields at the indentation of environment names, where they look like environments. */
export function unindentedEnvironmentKeys(values: unknown): readonly Unindented[] {
  const path = ["environments"];
  const environments = isJsonObject(values) ? values["environments"] : undefined;
  const shape = shapeAt(path);
  if (!isJsonObject(environments) || shape?.type !== "map" || shape.of.type !== "object") return [];
  const { fields } = shape.of;
  const keys = Object.keys(environments).filter((name) => Object.hasOwn(fields, name));
  return unindentedKeys(path, keys, environments, shape);
}

function isEmpty(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

function belongs(key: string, value: unknown, shape: Shape): boolean {
  if (shape.type === "object") return Object.hasOwn(shape.fields, key);
  const holdsMappings = shape.type === "map" && ["object", "map"].includes(shape.of.type);
  return holdsMappings && (value === null || isJsonObject(value));
}

function unindented(path: KeyPath, holder: string, end: KeyPath | null): Finding {
  const message = `\`${path.at(-1)}\` is not indented below \`${holder}\`. Indent it.`;
  const title = `Indent below '${holder}'`;
  const remedies = [{ kind: "indent", path, end, title, isPreferred: true } as const];
  return conflict("TRL110", path, message, { part: "key", remedies });
}
