/** Renders overrides as a JSON schema (draft 07), with which editors complete and check tasks and settings. */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Field, FieldTable } from "./fields/field.ts";
import { configFields } from "./fields/fields.ts";
import type { KeyPath } from "./source/keyPath.ts";

/** Values by dotted key, as JSON or as command-line text. Keys under user-chosen names are not restricted. */
export function overridesJsonSchema(): JsonObject {
  return keysAs((field) => ({ ...valueSchema(field), ...examplesOf(field) }));
}

/** Lists of values by dotted key, each as comma-separated text. */
export function gridJsonSchema(): JsonObject {
  return keysAs(() => ({ type: "string" }));
}

function keysAs(schemaOf: (field: Field) => JsonObject): JsonObject {
  const properties = plainFields(configFields).map(([path, field]): [string, Json] => [
    path.join("."),
    { ...schemaOf(field), markdownDescription: field.doc },
  ]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

type FieldAt = readonly [path: KeyPath, field: Field];

/** The fields that a single override can set: those whose value is neither a list nor a map. */
function plainFields(fields: FieldTable, above: KeyPath = []): readonly FieldAt[] {
  return Object.entries(fields).flatMap(([key, field]): readonly FieldAt[] => {
    const path = [...above, key];
    if (field.type === "object") return plainFields(field.fields, path);
    const isLeftOut = field.type === "map" || field.type === "list" || field.replacedBy;
    return isLeftOut ? [] : [[path, field]];
  });
}

function valueSchema(field: Field): JsonObject {
  const none = field.nullable === true ? ["null"] : [];
  switch (field.type) {
    case "enum":
      return field.orNumber === true
        ? { anyOf: [{ enum: field.values }, { type: ["number", ...none] }] }
        : { enum: field.nullable === true ? [...field.values, null] : field.values };
    case "integer":
    case "number":
    case "boolean":
      return { type: [field.type, "string", ...none] };
    default:
      return { type: ["string", ...none] };
  }
}

function examplesOf({ default: usual, examples }: Field): JsonObject {
  return withoutUndefined({ default: usual, examples });
}
