/** Makes up arguments that fit a tool's JSON Schema, to show what a call looks like. */

import { type ExactJson, type ExactJsonObject, isExactObject } from "../util/exactJson.ts";

/** A schema may refer to itself. */
const MAX_DEPTH = 6;

/** A value for each required property, or for each property when none is required. */
export function exampleArguments(schema: ExactJsonObject): ExactJsonObject {
  return exampleObject(schema, { root: schema, depth: 0 });
}

interface Place {
  /** Holds the definitions that `$ref` names. */
  readonly root: ExactJsonObject;
  readonly depth: number;
}

function exampleObject(schema: ExactJsonObject, place: Place): ExactJsonObject {
  const properties = objectAt(schema, "properties");
  const required = listAt(schema, "required").filter((name) => typeof name === "string");
  const names = required.length > 0 ? required : Object.keys(properties);
  const inner = { ...place, depth: place.depth + 1 };
  if (place.depth >= MAX_DEPTH) return {};
  return Object.fromEntries(
    names.map((name) => [name, exampleValue(objectAt(properties, name), name, inner)]),
  );
}

function exampleValue(schema: ExactJsonObject, name: string, place: Place): ExactJson {
  const { const: only, default: standard, $ref } = schema;
  const [given] = [
    ...(only === undefined ? [] : [only]),
    ...listAt(schema, "examples"),
    ...listAt(schema, "enum"),
    ...(standard === undefined || standard === null ? [] : [standard]),
  ];
  if (given !== undefined) return given;
  const inner = { ...place, depth: place.depth + 1 };
  if (place.depth >= MAX_DEPTH) return null;
  if (typeof $ref === "string") return exampleValue(definition($ref, place.root), name, inner);
  const [choice] = [
    ...listAt(schema, "anyOf"),
    ...listAt(schema, "oneOf"),
    ...listAt(schema, "allOf"),
  ];
  if (isExactObject(choice)) return exampleValue(choice, name, inner);
  switch (typeOf(schema)) {
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [exampleValue(objectAt(schema, "items"), name, inner)];
    case "object":
      return exampleObject(schema, place);
    default:
      return `some ${name.replaceAll("_", " ")}`;
  }
}

function typeOf(schema: ExactJsonObject): ExactJson | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return listAt(schema, "type").find((each) => each !== "null");
  return type ?? (schema["properties"] === undefined ? undefined : "object");
}

/** What `#/a/b` names below the root; an empty schema for anything else. */
function definition(reference: string, root: ExactJsonObject): ExactJsonObject {
  if (!reference.startsWith("#/")) return {};
  return reference
    .slice(2)
    .split("/")
    .reduce((schema: ExactJsonObject, key) => objectAt(schema, key), root);
}

function objectAt(schema: ExactJsonObject, key: string): ExactJsonObject {
  const value = Object.hasOwn(schema, key) ? schema[key] : undefined;
  return isExactObject(value) ? value : {};
}

function listAt(schema: ExactJsonObject, key: string): readonly ExactJson[] {
  const value = Object.hasOwn(schema, key) ? schema[key] : undefined;
  return Array.isArray(value) ? value : [];
}
