/** Reads what a tool's JSON Schema says about its arguments, following references within it. */

import {
  type ExactJson,
  type ExactJsonObject,
  ExactNumber,
  isExactObject,
  sortKeys,
  writeExactJson,
} from "../util/exactJson.ts";
import type { ToolDeclaration } from "./renderer.ts";

/**
 * Whether a schema allows a value; null if it does not say. `whole` checks everything the schema says about types and values, at
 * any depth. `type` checks only the outermost JSON type and accepts any number as an integer.
 */
export type Admits = (value: ExactJson, depth: "whole" | "type") => boolean | null;

export interface ToolSchema {
  /** What is declared for an argument; null if the tool does not declare it. */
  readonly parameter: (key: string) => Admits | null;
}

/** The schema of the tool with this name. An undeclared tool has no parameters. */
export function schemaOfTool(name: string, tools: readonly ToolDeclaration[]): ToolSchema {
  return toolSchema(
    tools.find(({ function: { name: declared } }) => declared === name)?.function.parameters ?? {},
  );
}

/** `parameters` is the root for references. Accepts any input; parts that are not a valid schema are ignored. */
export function toolSchema(parameters: ExactJsonObject): ToolSchema {
  const compare = createComparison(parameters);
  const known = new Map<string, Admits | null>();
  const parameter = (key: string): Admits | null => {
    const schema = propertySchema(parameters, key, {
      root: parameters,
      known: new Map(),
      depth: 0,
    });
    return schema === null ? null : (value, depth) => compare(schema, value, depth);
  };
  return {
    parameter: (key) => {
      const before = known.get(key);
      const admits = before === undefined ? parameter(key) : before;
      known.set(key, admits);
      return admits;
    },
  };
}

interface Search {
  readonly root: ExactJsonObject;
  /** Results per schema. A circular schema yields nothing more, and a schema with many references is read only once. */
  readonly known: Map<ExactJson, ExactJson | null>;
  depth: number;
}

/** Limit on how deeply nested references are followed. */
const MAX_STEPS = 500;

/** The schema of a property, wherever the object's schema declares it; null if it does not. */
function propertySchema(schema: ExactJson, key: string, search: Search): ExactJson | null {
  const { root, known } = search;
  if (!isExactObject(schema) || search.depth >= MAX_STEPS) return null;
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, null);
  search.depth += 1;
  const find = (inner: ExactJson): readonly ExactJson[] => {
    const found = propertySchema(inner, key, search);
    return found === null ? [] : [found];
  };
  const { additionalProperties: others } = schema;
  const own = ownValue(objectAt(schema, "properties"), key);
  const all = [...referenced(schema, root), ...listAt(schema, "allOf")].flatMap(find);
  const forms = formsOf(schema).flatMap((options) => options.flatMap(find));
  search.depth -= 1;
  if (own !== undefined) all.push(own);
  if (forms.length > 0) all.push({ anyOf: forms });
  if (all.length === 0 && isExactObject(others)) all.push(others);
  const found = all.length > 1 ? { allOf: all } : (all[0] ?? null);
  known.set(schema, found);
  return found;
}

type Depth = Parameters<Admits>[1];
type Verdicts = Map<ExactJson, boolean | null>;
type Texts = ReadonlySet<string>;
type Comparison = (schema: ExactJson, ...value: Parameters<Admits>) => boolean | null;

/** Compares each pair of schema and value only once, since schemas may reference one another in many ways. */
function createComparison(root: ExactJsonObject): Comparison {
  const known = { whole: new Map<ExactJson, Verdicts>(), type: new Map<ExactJson, Verdicts>() };
  const values = { whole: new Map<ExactJson, Texts>(), type: new Map<ExactJson, Texts>() };
  let steps = 0;

  const compare: Comparison = (schema, value, depth) => {
    if (schema === false) return false;
    if (!isExactObject(schema) || steps >= MAX_STEPS) return null;
    const verdicts = known[depth].get(schema) ?? new Map();
    known[depth].set(schema, verdicts);
    const before = verdicts.get(value);
    if (before !== undefined) return before;
    // While a circular schema is being judged for the same value, it counts as saying nothing.
    verdicts.set(value, null);
    steps += 1;
    const verdict = judge(schema, value, depth);
    steps -= 1;
    verdicts.set(value, verdict);
    return verdict;
  };

  const judge: Comparison = (schema, value, depth) => {
    if (!isExactObject(schema)) return null;
    if (schema["nullable"] === true && value === null) return true;
    const to = (inner: ExactJson): boolean | null => compare(inner, value, depth);
    return every([
      typeVerdict(schema, value, depth),
      valueVerdict(schema, value, depth),
      ...[...referenced(schema, root), ...listAt(schema, "allOf")].map(to),
      ...formsOf(schema).map((options) => some(options.map(to))),
      ...(depth === "whole" ? [partsVerdict(schema, value)] : []),
    ]);
  };

  const valueVerdict = (
    schema: ExactJsonObject,
    value: ExactJson,
    depth: Depth,
  ): boolean | null => {
    const { const: only } = schema;
    const allowed = only === undefined ? listAt(schema, "enum") : [only];
    if (allowed.length === 0) return null;
    const write = depth === "whole" ? canonical : kindOf;
    const texts = values[depth].get(schema) ?? new Set(allowed.map(write));
    values[depth].set(schema, texts);
    return texts.has(write(value));
  };

  /** False if an item or property is not allowed or a required one is missing; else null, since parts say nothing about the type. */
  const partsVerdict = (schema: ExactJsonObject, value: ExactJson): boolean | null => {
    const fits = (inner: ExactJson | undefined, part: ExactJson): boolean =>
      inner === undefined || compare(inner, part, "whole") !== false;
    if (isList(value)) {
      const first = listAt(schema, "prefixItems");
      return value.every((item, i) => fits(first[i] ?? schema["items"], item)) ? null : false;
    }
    if (!isExactObject(value)) return null;
    const properties = objectAt(schema, "properties");
    const isWhole = listAt(schema, "required").every(
      (key) => typeof key !== "string" || Object.hasOwn(value, key),
    );
    const isAllowed = Object.entries(value).every(([key, part]) =>
      fits(ownValue(properties, key) ?? schema["additionalProperties"], part),
    );
    return isWhole && isAllowed ? null : false;
  };

  return compare;
}

function typeVerdict(schema: ExactJsonObject, value: ExactJson, depth: Depth): boolean | null {
  const types = typesOf(schema);
  if (types.length === 0) return null;
  const kind = kindOf(value);
  if (types.includes(kind)) return true;
  return kind === "number" && types.includes("integer") && (depth === "type" || isInteger(value));
}

const TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"];

/** The types that a schema declares, or implies by its properties or items. */
export function typesOf(schema: ExactJsonObject): readonly string[] {
  const { type, properties, items, prefixItems } = schema;
  const named = (isList(type) ? type : [type]).filter(
    (name) => typeof name === "string" && TYPES.includes(name),
  );
  if (named.length > 0) return named.map(String);
  if (properties !== undefined) return ["object"];
  return items === undefined && prefixItems === undefined ? [] : ["array"];
}

/** The schema that `$ref` points to within `root`, as a list of at most one: supports `#` and `#/a/b`, not other documents. */
export function referenced(schema: ExactJsonObject, root: ExactJsonObject): readonly ExactJson[] {
  const { $ref: reference } = schema;
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return [];
  let found: ExactJson | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isList(found)
      ? found[Number(key)]
      : isExactObject(found)
        ? ownValue(found, key)
        : undefined;
  }
  return found === undefined ? [] : [found];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The lists (`anyOf`, `oneOf`) of which a value must match one schema each. */
function formsOf(schema: ExactJsonObject): readonly (readonly ExactJson[])[] {
  return [listAt(schema, "anyOf"), listAt(schema, "oneOf")].filter(({ length }) => length > 0);
}

function every(verdicts: readonly (boolean | null)[]): boolean | null {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(true) ? true : null;
}

function some(verdicts: readonly (boolean | null)[]): boolean | null {
  if (verdicts.includes(true)) return true;
  return verdicts.includes(null) ? null : false;
}

/** The JSON type of a value. */
function kindOf(value: ExactJson): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  return value instanceof ExactNumber ? "number" : typeof value;
}

function isInteger(value: ExactJson): boolean {
  return value instanceof ExactNumber ? /^-?\d+$/.test(value.text) : Number.isInteger(value);
}

/** The same text for equal JSON values. */
function canonical(value: ExactJson): string {
  return writeExactJson(sortKeys(value));
}

/** An own property that is an object, or {}. Checks ownership because every object inherits names like `constructor`. */
export function objectAt(schema: ExactJsonObject, key: string): ExactJsonObject {
  const value = ownValue(schema, key);
  return isExactObject(value) ? value : {};
}

/** An own property that is a list, or []. */
export function listAt(schema: ExactJsonObject, key: string): readonly ExactJson[] {
  const value = ownValue(schema, key);
  return isList(value) ? value : [];
}

function ownValue(object: ExactJsonObject, key: string): ExactJson | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: ExactJson | undefined): value is readonly ExactJson[] {
  return Array.isArray(value);
}
