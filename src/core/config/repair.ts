/** Replaces invalid values of a configuration so that cross-field rules can still check the valid ones. */

import type * as z from "zod";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Shape } from "./fields/field.ts";
import { shapeAt } from "./fields/fields.ts";
import type { Config } from "./fields/schema.ts";
import { isWithin, type KeyPath } from "./source/keyPath.ts";

export interface Repaired {
  readonly config: Config;
  /** Paths of replaced values; findings about them are ignored. */
  readonly replaced: readonly KeyPath[];
}

/** Fixing an outer value can uncover faults inside it, so repair runs in rounds. */
const MAX_ROUNDS = 4;
const MAX_REPAIRS = 500;

/** Fills in placeholders until the schema accepts the values; null when they cannot be repaired. */
export function repair(values: unknown, schema: z.ZodType<Config>): Repaired | null {
  const replaced: KeyPath[] = [];
  let current = values;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const parsed = schema.safeParse(current);
    if (parsed.success) return { config: parsed.data, replaced };
    const { issues } = parsed.error;
    if (issues.length > MAX_REPAIRS) return null;
    for (const issue of issues) {
      const path = issue.path.map(String);
      if (issue.code === "unrecognized_keys") {
        current = changed(current, path, (own) => without(own, issue.keys));
        continue;
      }
      const place = outsideOfLists(path);
      replaced.push(place);
      current = placed(current, place);
    }
  }
  return null;
}

/** True when the value at `path`, one above it, or one below it was replaced. */
export function isReplaced({ replaced }: Repaired, path: KeyPath): boolean {
  return replaced.some((place) => isWithin(path, place) || isWithin(place, path));
}

/** `path`, or the path of the outermost list that contains it. */
export function outsideOfLists(path: KeyPath): KeyPath {
  const depth = path.findIndex((_, index) => shapeAt(path.slice(0, index))?.type === "list");
  return depth < 0 ? path : path.slice(0, depth);
}

/** The values with a placeholder at `path`, or with that key removed when its field has a default. */
function placed(values: unknown, path: KeyPath): unknown {
  const key = path.at(-1);
  if (key === undefined) return placeholder(shapeAt([]));
  const shape = shapeAt(path);
  const hasDefault = shape !== undefined && "default" in shape;
  return changed(values, path.slice(0, -1), (own) =>
    hasDefault ? without(own, [key]) : { ...own, [key]: placeholder(shape) },
  );
}

function changed(values: unknown, path: KeyPath, change: (own: JsonObject) => JsonObject): unknown {
  const own = isJsonObject(values) ? values : {};
  const [key, ...rest] = path;
  if (key === undefined) return change(own);
  const child = Object.hasOwn(own, key) ? own[key] : undefined;
  return { ...own, [key]: changed(child, rest, change) };
}

function without(own: JsonObject, keys: readonly string[]): JsonObject {
  const unwanted = new Set(keys);
  return Object.fromEntries(Object.entries(own).filter(([key]) => !unwanted.has(key)));
}

/** The smallest value that `shape` accepts. */
function placeholder(shape: Shape | undefined): JsonObject[string] {
  switch (shape?.type) {
    case "string":
      return "?";
    case "integer":
    case "number":
      return Math.max(shape.min ?? 1, 1);
    case "boolean":
      return false;
    case "enum":
      return shape.values[0] ?? "";
    case "list":
      return (shape.minItems ?? 0) > 0 ? [placeholder(shape.of)] : [];
    case "map":
      return (shape.minEntries ?? 0) > 0 ? { "?": placeholder(shape.of) } : {};
    case "object":
      return placeholderObject(shape);
    default:
      return null;
  }
}

function placeholderObject(shape: Extract<Shape, { type: "object" }>): JsonObject {
  if (shape.isPartial === true) return {};
  const required = Object.entries(shape.fields).filter(([, field]) => field.default === undefined);
  return Object.fromEntries(required.map(([key, field]) => [key, placeholder(field)]));
}
