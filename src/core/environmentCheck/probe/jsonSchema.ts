/** Validates the JSON Schemas of tools, and generates values that they allow. */

import { isJsonObject, type Json, type JsonObject } from "../../json.ts";

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const SCHEMA_LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const COMBINING = ["$ref", "anyOf", "oneOf", "allOf"];
const SCHEMA_MAPS = ["properties", "patternProperties", "$defs", "definitions"];
const SCHEMA_PLACES = ["items", "additionalProperties", "not"];
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems"];
const EXCLUSIVE_BOUNDS = ["exclusiveMinimum", "exclusiveMaximum"];
const BOUNDS = ["minimum", "maximum", "multipleOf", ...EXCLUSIVE_BOUNDS];
const MAX_DEPTH = 12;
/** Maximum number of values per call; mutually recursive schemas could ask for any number. */
const MAX_VALUES = 1_000;

/** Faults in the schema of a tool's arguments, a few words each; empty for a valid one. */
export function schemaFaults(schema: JsonObject): readonly string[] {
  const type = schema["type"];
  const isObject = type === "object" || (type === undefined && isJsonObject(schema["properties"]));
  const hasChoice = SCHEMA_LISTS.some((key) => Array.isArray(schema[key]));
  const root = isObject || hasChoice || "$ref" in schema ? [] : ["the root is not an object"];
  return [...root, ...faultsAt(schema, "", schema, 0)];
}

function faultsAt(schema: Json, path: string, root: JsonObject, depth: number): readonly string[] {
  if (typeof schema === "boolean" || depth > MAX_DEPTH) return [];
  const place = path === "" ? "the root" : path;
  if (!isJsonObject(schema)) return [`${place} is not a schema`];
  const below = (value: Json, key: string): readonly string[] =>
    faultsAt(value, path === "" ? key : `${path}.${key}`, root, depth + 1);
  return [
    ...ownFaults(schema, root).map((fault) => `${place} ${fault}`),
    ...SCHEMA_PLACES.flatMap((key) => (isSchemaPlace(schema[key]) ? below(schema[key], key) : [])),
    ...SCHEMA_LISTS.flatMap((key) => {
      const list = schema[key];
      return Array.isArray(list)
        ? list.flatMap((each: Json, index) => below(each, `${key}.${index}`))
        : [];
    }),
    ...SCHEMA_MAPS.flatMap((key) => {
      const map = schema[key];
      return isJsonObject(map)
        ? Object.entries(map).flatMap(([name, each]) => below(each, name))
        : [];
    }),
  ];
}

/** Older drafts allow a list of schemas as `items`. */
function isSchemaPlace(value: Json | undefined): value is Json {
  return value !== undefined && !Array.isArray(value);
}

function ownFaults(schema: JsonObject, root: JsonObject): readonly string[] {
  const faults: string[] = [];
  const wrong = (isWrong: boolean, text: string): void => {
    if (isWrong) faults.push(text);
  };
  const types = [schema["type"] ?? []].flat();
  const unknown = types.filter((type) => !TYPES.includes(String(type)));
  wrong(unknown.length > 0, `has the unknown type ${JSON.stringify(unknown[0] ?? null)}`);
  for (const key of SCHEMA_MAPS)
    wrong(!isAbsentOr(isJsonObject, schema[key]), `has a malformed ${key}`);
  for (const key of ["enum", ...SCHEMA_LISTS]) {
    wrong(!isAbsentOr(isFilledList, schema[key]), `has an empty or malformed ${key}`);
  }
  for (const key of COUNTS) wrong(!isAbsentOr(isCount, schema[key]), `has a malformed ${key}`);
  for (const key of BOUNDS) wrong(!isAbsentOr(isNumber, schema[key]), `has a malformed ${key}`);
  wrong(!isPattern(schema["pattern"]), "has a pattern that is not a regular expression");
  return [...faults, ...requiredFaults(schema), ...referenceFaults(schema, root)];
}

function requiredFaults(schema: JsonObject): readonly string[] {
  const { required, properties, type, additionalProperties: others = false } = schema;
  if (required === undefined) return [];
  if (!Array.isArray(required) || required.some((name: Json) => typeof name !== "string")) {
    return ["has a malformed required"];
  }
  // Another part of the schema, or the one that it is a part of, may describe the rest.
  const isPart = properties === undefined && type === undefined;
  if (isPart || others !== false || COMBINING.some((key) => key in schema)) return [];
  const known = isJsonObject(properties) ? properties : {};
  return required
    .filter((name: Json) => !Object.hasOwn(known, String(name)))
    .map((name: Json) => `requires ${JSON.stringify(name)}, which it does not describe`);
}

function referenceFaults({ $ref }: JsonObject, root: JsonObject): readonly string[] {
  if ($ref === undefined) return [];
  const isKnown =
    typeof $ref === "string" && (!$ref.startsWith("#") || resolve($ref, root) !== null);
  return isKnown ? [] : [`refers to ${JSON.stringify($ref)}, which does not exist`];
}

function isAbsentOr(is: (value: Json) => boolean, value: Json | undefined): boolean {
  return value === undefined || is(value);
}

function isFilledList(value: Json): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isCount(value: Json): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

function isNumber(value: Json): boolean {
  // In draft 4, the exclusive bounds are flags.
  return typeof value === "number" || typeof value === "boolean";
}

function isPattern(value: Json | undefined): boolean {
  if (value === undefined) return true;
  if (typeof value !== "string") return false;
  try {
    // Without the flag `u`, which refuses escapes that Python allows, such as \A and \-.
    new RegExp(value);
    return true;
  } catch {
    // Python patterns may have group syntax that JavaScript lacks, which is not a fault.
    return value.includes("(?");
  }
}

function resolve(reference: string, root: JsonObject): Json | null {
  let place: Json | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    place = isJsonObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  }
  return place ?? null;
}

/** Provides the values that a schema leaves open. */
export interface ValueSource {
  text(schema: JsonObject): string;
  /** Within inclusive bounds. */
  number(low: number, high: number, isInteger: boolean): number;
  boolean(): boolean;
  /** Index of the chosen alternative, below `count`. */
  choose(count: number): number;
  /** Whether to include an optional argument. */
  takesOptional(): boolean;
}

/** Arguments that the schema allows, as far as possible without a solver; empty for a tool without a schema. */
export function drawArguments(schema: JsonObject | null, source: ValueSource): JsonObject {
  if (schema === null) return {};
  const value = draw(schema, { source, root: schema, budget: { values: MAX_VALUES } }, 0);
  return isJsonObject(value) ? value : {};
}

interface Drawing {
  readonly source: ValueSource;
  /** Contains the definitions that `$ref` refers to. */
  readonly root: JsonObject;
  /** What remains of {@link MAX_VALUES}. */
  readonly budget: { values: number };
}

function draw(written: Json, drawing: Drawing, depth: number): Json {
  const { source, budget } = drawing;
  if (depth > MAX_DEPTH || budget.values <= 0) return null;
  const schema = expand(written, drawing, 0);
  if (schema["const"] !== undefined) return schema["const"];
  for (const key of ["enum", "anyOf", "oneOf"]) {
    const list = schema[key];
    if (!Array.isArray(list) || list.length === 0) continue;
    const chosen: Json = list[source.choose(list.length)] ?? null;
    if (key === "enum") return chosen;
    const { [key]: _, ...own } = schema;
    return draw(merged(own, expand(chosen, drawing, depth)), drawing, depth + 1);
  }
  return drawTyped(schema, drawing, depth);
}

/** Replaces references and `allOf` with their contents, recursively. */
function expand(written: Json, drawing: Drawing, depth: number): JsonObject {
  const { root, budget } = drawing;
  if (!isJsonObject(written) || depth > MAX_DEPTH || budget.values <= 0) return {};
  budget.values -= 1;
  const { $ref, allOf, ...own } = written;
  const target = typeof $ref === "string" ? resolve($ref, root) : null;
  const parts: readonly Json[] = [target, ...(Array.isArray(allOf) ? allOf : [])];
  return [...parts.map((part) => expand(part, drawing, depth + 1)), own].reduce(merged, {});
}

/** A schema with the constraints of both; the second has priority. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const all: Record<string, Json> = { ...first, ...second };
  const { properties, required } = first;
  if (isJsonObject(properties) && isJsonObject(all["properties"])) {
    all["properties"] = { ...properties, ...all["properties"] };
  }
  if (Array.isArray(required) && Array.isArray(all["required"])) {
    all["required"] = [...new Set<Json>([...required, ...all["required"]])];
  }
  return all;
}

function drawTyped(schema: JsonObject, drawing: Drawing, depth: number): Json {
  const { source } = drawing;
  const types = [schema["type"] ?? []].flat();
  switch (types.find((type) => type !== "null") ?? types[0]) {
    case "string":
      return fitText(source.text(schema), schema);
    case "integer":
      return drawNumber(schema, source, true);
    case "number":
      return drawNumber(schema, source, false);
    case "boolean":
      return source.boolean();
    case "null":
      return null;
    case "array": {
      const item: Json = Array.isArray(schema["items"]) ? {} : (schema["items"] ?? {});
      const count = Math.max(numberAt(schema, "minItems") ?? 0, 1);
      return Array.from({ length: Math.min(count, 8) }, () => draw(item, drawing, depth + 1));
    }
    default:
      return isJsonObject(schema["properties"]) || types.includes("object")
        ? drawObject(schema, drawing, depth)
        : source.text(schema);
  }
}

function drawObject(schema: JsonObject, drawing: Drawing, depth: number): JsonObject {
  const { properties, required } = schema;
  const names: readonly Json[] = Array.isArray(required) ? required : [];
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  const taken = entries.filter(([name]) => names.includes(name) || drawing.source.takesOptional());
  return Object.fromEntries(taken.map(([name, each]) => [name, draw(each, drawing, depth + 1)]));
}

function drawNumber(schema: JsonObject, source: ValueSource, isInteger: boolean): number {
  const step = isInteger ? 1 : 0;
  const low = numberAt(schema, "minimum") ?? numberAt(schema, "exclusiveMinimum", step);
  const high = numberAt(schema, "maximum") ?? numberAt(schema, "exclusiveMaximum", -step);
  const from = low ?? (high === null || high > 0 ? 0 : high - 20);
  const to = high ?? Math.max(20, from + 20);
  const isOpen = EXCLUSIVE_BOUNDS.some((key) => typeof schema[key] === "number");
  const inside = isOpen && !isInteger ? (to - from) / 1_000 : 0;
  return source.number(from + inside, to - inside, isInteger);
}

function numberAt(schema: JsonObject, key: string, plus = 0): number | null {
  const value = schema[key];
  return typeof value === "number" ? value + plus : null;
}

function fitText(text: string, schema: JsonObject): string {
  const least = numberAt(schema, "minLength") ?? 0;
  const most = numberAt(schema, "maxLength") ?? Number.POSITIVE_INFINITY;
  return text.padEnd(Math.min(least, 1_000), "x").slice(0, most);
}
