/** Renders the field table as a JSON schema (draft 07) for editors. */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { Json, JsonObject } from "../json.ts";
import type {
  EnumShape,
  Field,
  FieldTable,
  NumberShape,
  ObjectShape,
  Shape,
  StringShape,
} from "./fields/field.ts";
import { configFields } from "./fields/fields.ts";
import { SHARED_KEYS } from "./rules/stageRules.ts";

/** The schema of a whole configuration file, with documentation, defaults and ranges. */
export function configJsonSchema(): JsonObject {
  const required = requiredKeys(configFields);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Tinker RL configuration",
    ...schemaOfFields(configFields),
    required: required.filter(isShared),
    allOf: required.filter((key) => !isShared(key)).map(requiredHereOrInStages),
  };
}

/** The key must be set at the top of the file or in every stage. */
function requiredHereOrInStages(key: string): JsonObject {
  const inEach = { type: "object", additionalProperties: { required: [key] } };
  return { anyOf: [{ required: [key] }, { required: ["stages"], properties: { stages: inEach } }] };
}

function isShared(key: string): boolean {
  return SHARED_KEYS.includes(key);
}

function requiredKeys(fields: FieldTable): readonly string[] {
  return Object.entries(fields)
    .filter(([, field]) => field.default === undefined && field.optionalFor === undefined)
    .map(([key]) => key);
}

function schemaOfFields(fields: FieldTable): JsonObject {
  const entries = Object.entries(fields);
  const required = requiredKeys(fields);
  return withoutUndefined({
    type: "object",
    properties: Object.fromEntries(entries.map(([key, field]) => [key, schemaOfField(field)])),
    required: required.length > 0 ? required : undefined,
    // The user's own keys, for anchors and notes.
    patternProperties: { "^x-": {} },
    additionalProperties: false,
  });
}

function schemaOfField(field: Field): JsonObject {
  return {
    ...schemaOfShape(field),
    ...withoutUndefined({
      default: field.default,
      examples: field.examples,
      deprecated: field.replacedBy === undefined ? undefined : true,
    }),
    description: field.doc.replaceAll("`", ""),
    markdownDescription: field.doc + localNote(field),
  };
}

function localNote(field: Field): string {
  if (field.localDefault === undefined) return "";
  return ` Default for \`local/\` models: \`${JSON.stringify(field.localDefault)}\`.`;
}

function schemaOfShape(shape: Shape): JsonObject {
  const schema = schemaOfValue(shape);
  if (shape.nullable !== true) return schema;
  const { type, enum: values, anyOf } = schema;
  return {
    ...schema,
    ...withoutUndefined({
      anyOf: Array.isArray(anyOf) ? [...anyOf, { type: "null" }] : undefined,
      type: type === undefined ? undefined : [type, "null"].flat(),
      enum: Array.isArray(values) ? [...values, null] : undefined,
    }),
  };
}

function schemaOfValue(shape: Shape): JsonObject {
  switch (shape.type) {
    case "string":
      return schemaOfString(shape);
    case "integer":
    case "number":
      return schemaOfNumber(shape);
    case "boolean":
      return { type: "boolean" };
    case "enum":
      return schemaOfEnum(shape);
    case "list":
      return withBound(
        { type: "array", items: schemaOfShape(shape.of) },
        "minItems",
        shape.minItems,
      );
    case "map":
      return withBound(
        { type: "object", additionalProperties: schemaOfShape(shape.of) },
        "minProperties",
        shape.minEntries,
      );
    case "object":
      return schemaOfObject(shape);
  }
}

function schemaOfEnum({ values, orNumber }: EnumShape): JsonObject {
  const words = { type: "string", enum: values };
  return orNumber === true ? { anyOf: [words, { type: "number" }] } : words;
}

/** A string field accepts any scalar and reads it as text. */
function schemaOfString(shape: StringShape): JsonObject {
  return shape.pattern === undefined
    ? { type: ["string", "number", "boolean"] }
    : { type: "string", pattern: shape.pattern };
}

function schemaOfNumber(shape: NumberShape): JsonObject {
  return withoutUndefined({
    type: shape.type,
    minimum: shape.min,
    maximum: shape.max,
    exclusiveMinimum: shape.above,
    exclusiveMaximum: shape.below,
  });
}

function schemaOfObject(shape: ObjectShape): JsonObject {
  // The contents are validated as part of the whole they complete.
  if (shape.isPartial === true) return namesOnly(shape.fields);
  const schema = schemaOfFields(shape.fields);
  return shape.shorthand === undefined ? schema : { anyOf: [{ type: "boolean" }, schema] };
}

function namesOnly(fields: FieldTable): JsonObject {
  const properties = Object.entries(fields).map(([key, { doc }]) => [
    key,
    { description: doc.replaceAll("`", "") },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    patternProperties: { "^x-": {} },
    additionalProperties: false,
  };
}

function withBound(schema: JsonObject, name: string, bound: Json | undefined): JsonObject {
  return bound === undefined ? schema : { ...schema, [name]: bound };
}
