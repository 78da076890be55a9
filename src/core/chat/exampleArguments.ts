/** Generates arguments that match a tool's JSON Schema, to show what a call looks like. */

import {
  type ExactJson,
  type ExactJsonObject,
  ExactNumber,
  isExactObject,
} from "../util/exactJson.ts";
import { listAt, objectAt, referenced, typesOf } from "./toolSchema.ts";

/** Nesting depth down to which objects also show optional properties; a schema may recurse without end. */
const OPTIONAL_LEVELS = 2;

/** Most values in one example. Schemas that reference one another can otherwise expand without bound. */
const MAX_VALUES = 1_000;

/** Returns a value for each required property, or for every property when none is required. Returns {} past the limit on values. */
export function exampleArguments(schema: ExactJsonObject): ExactJsonObject {
  const scope = { root: schema, above: [], level: 0, budget: { values: MAX_VALUES } };
  const example = exampleValue(schema, "arguments", scope);
  return isExactObject(example) ? example : {};
}

interface SchemaScope {
  /** The root schema, which holds the definitions that `$ref` names. */
  readonly root: ExactJsonObject;
  /** Enclosing schemas, to detect a schema that contains itself. */
  readonly above: readonly ExactJson[];
  /** Number of enclosing objects. */
  readonly level: number;
  /** Values left of {@link MAX_VALUES}. */
  readonly budget: { values: number };
}

/** Undefined if the schema contains itself or the value budget is spent. */
function exampleValue(written: ExactJson, name: string, scope: SchemaScope): ExactJson | undefined {
  if (scope.above.includes(written)) return undefined;
  const schema = united(written, scope, []);
  if (scope.budget.values < 0) return undefined;
  if (schema === null) return null;
  const inner = { ...scope, above: [...scope.above, written] };
  const { const: only, default: standard } = schema;
  const [given] = [
    ...(only === undefined ? [] : [only]),
    ...listAt(schema, "examples"),
    ...listAt(schema, "enum"),
    ...(standard === undefined || standard === null ? [] : [standard]),
  ];
  if (given !== undefined) return given;
  const forms = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")];
  if (forms.length > 0) return exampleForm(forms, name, inner);
  const types = typesOf(schema);
  switch (types.find((type) => type !== "null") ?? types[0]) {
    case "integer":
    case "number":
      return exampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return exampleList(schema, name, inner);
    case "object":
      return exampleObject(schema, inner);
    default:
      return exampleText(schema, name);
  }
}

/** Merges the schema with its `$ref` and `allOf` schemas; null if these are circular or exceed the value budget. */
function united(
  schema: ExactJson,
  scope: Pick<SchemaScope, "root" | "budget">,
  path: readonly ExactJson[],
): ExactJsonObject | null {
  scope.budget.values -= 1;
  if (!isExactObject(schema)) return {};
  if (path.includes(schema) || scope.budget.values < 0) return null;
  let all = schema;
  for (const part of [...referenced(schema, scope.root), ...listAt(schema, "allOf")]) {
    const other = united(part, scope, [...path, schema]);
    if (other === null) return null;
    const properties = { ...objectAt(other, "properties"), ...objectAt(all, "properties") };
    const required = [...listAt(other, "required"), ...listAt(all, "required")];
    const isObject = Object.keys(properties).length > 0;
    all = { ...other, ...all, required };
    if (isObject) all = { ...all, properties };
  }
  return all;
}

/** The first example that is not null, else null if a form allows it. */
function exampleForm(
  forms: readonly ExactJson[],
  name: string,
  scope: SchemaScope,
): ExactJson | undefined {
  const values = forms.map((form) => exampleValue(form, name, scope));
  return values.find((value) => value !== undefined && value !== null) ?? values.find(isDefined);
}

/** One item, or as many as `minItems` requires. */
function exampleList(
  schema: ExactJsonObject,
  name: string,
  scope: SchemaScope,
): readonly ExactJson[] | undefined {
  const { items = {}, minItems } = schema;
  const first = listAt(schema, "prefixItems").map((item) => exampleValue(item, name, scope));
  const least = Math.max(first.length, typeof minItems === "number" ? minItems : 0);
  if (least > MAX_VALUES) return undefined;
  const item = first.length > 0 ? undefined : exampleValue(items, name, scope);
  const values = first.length > 0 ? first : Array(Math.max(least, 1)).fill(item);
  const known = values.filter(isDefined);
  return known.length < least ? undefined : known;
}

function exampleObject(schema: ExactJsonObject, scope: SchemaScope): ExactJsonObject | undefined {
  const properties = objectAt(schema, "properties");
  const required = listAt(schema, "required").filter((key) => typeof key === "string");
  const isFull = required.length === 0 && scope.level < OPTIONAL_LEVELS;
  const inner = { ...scope, level: scope.level + 1 };
  const entries = (isFull ? Object.keys(properties) : required).map((key) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [key, exampleValue(property ?? {}, key, inner)] as const;
  });
  const known = entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return isFull || known.length === entries.length ? Object.fromEntries(known) : undefined;
}

/** 1, or the closest fit within the schema's limits. */
function exampleNumber(schema: ExactJsonObject): number {
  const limit = (key: string): number | null => {
    const value = schema[key];
    const number = value instanceof ExactNumber ? Number(value.text) : value;
    return typeof number === "number" ? number : null;
  };
  const above = limit("exclusiveMinimum");
  const below = limit("exclusiveMaximum");
  const least = limit("minimum") ?? (above === null ? null : above + 1);
  const most = limit("maximum") ?? (below === null ? null : below - 1);
  if (least !== null && below !== null && least >= below && above !== null) {
    return (above + below) / 2;
  }
  if (least !== null) return least;
  return most === null ? 1 : Math.min(1, most);
}

/** Examples of the string formats that pydantic emits for Python types. */
const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-02",
  time: "12:30:00",
  "date-time": "2026-01-02T12:30:00Z",
  duration: "PT5M",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  uri: "https://example.com",
  email: "someone@example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

function exampleText({ format, minLength, maxLength }: ExactJsonObject, name: string): string {
  const known = typeof format === "string" ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const text = `some ${name.replaceAll("_", " ")}`;
  const least = typeof minLength === "number" ? text.padEnd(Math.min(minLength, 1000), ".") : text;
  return typeof maxLength === "number" ? least.slice(0, maxLength) : least;
}

function isDefined(value: ExactJson | undefined): value is ExactJson {
  return value !== undefined;
}
