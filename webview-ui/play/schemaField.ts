/** Form fields for the JSON Schema of a tool's arguments. */

type Schema = Readonly<Record<string, unknown>>;

/** A field by its input; `json` is for schemas that no form can represent. */
export type SchemaField =
  | { readonly kind: "choice"; readonly values: readonly unknown[] }
  | {
      readonly kind: "number";
      readonly isInteger: boolean;
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: "boolean" }
  | { readonly kind: "text"; readonly isLong: boolean }
  | { readonly kind: "list"; readonly item: Described }
  | { readonly kind: "object"; readonly fields: readonly NamedField[] }
  | { readonly kind: "json" };

export interface Described {
  readonly field: SchemaField;
  readonly description: string;
}

export interface NamedField extends Described {
  readonly name: string;
  readonly isRequired: boolean;
}

/** Values entered so far: undefined means present but invalid, and JSON omits it. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** Deeper schemas are entered as JSON, because they may be recursive. */
const MAX_DEPTH = 4;
/** Longer texts get several rows. */
const SHORT_TEXT = 80;

/** Fields of the arguments; empty for a tool without arguments. */
export function argumentFields(schema: Schema | null): readonly NamedField[] {
  const { field } = fieldOf(schema ?? {}, schema ?? {}, 0);
  return field.kind === "object" ? field.fields : [];
}

function fieldOf(given: unknown, root: Schema, depth: number): Described {
  const schema = resolved(given, root);
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  return { field: kindOf(schema, root, depth), description };
}

function kindOf(schema: Schema, root: Schema, depth: number): SchemaField {
  const values = schema["enum"] ?? ("const" in schema ? [schema["const"]] : undefined);
  if (Array.isArray(values)) return { kind: "choice", values };
  const choice = onlyChoice(schema);
  if (choice !== null) return fieldOf(choice, root, depth).field;
  if (depth >= MAX_DEPTH) return { kind: "json" };
  switch (typeOf(schema)) {
    case "string":
      return { kind: "text", isLong: !(Number(schema["maxLength"]) <= SHORT_TEXT) };
    case "integer":
    case "number":
      return {
        kind: "number",
        isInteger: typeOf(schema) === "integer",
        ...bound("min", schema["minimum"]),
        ...bound("max", schema["maximum"]),
      };
    case "boolean":
      return { kind: "boolean" };
    case "array":
      return { kind: "list", item: fieldOf(schema["items"], root, depth + 1) };
    case "object":
      return objectOf(schema, root, depth);
    default:
      return { kind: "json" };
  }
}

function objectOf(schema: Schema, root: Schema, depth: number): SchemaField {
  const properties = schema["properties"];
  if (!isSchema(properties)) return { kind: "json" };
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = Object.entries(properties).map(([name, own]) => ({
    name,
    isRequired: required.includes(name),
    ...fieldOf(own, root, depth + 1),
  }));
  return { kind: "object", fields };
}

/** The only alternative to `null`; Pydantic writes optional values this way. */
function onlyChoice(schema: Schema): unknown {
  const choices = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  if (!Array.isArray(choices)) return null;
  const others = choices.filter((each) => !isSchema(each) || each["type"] !== "null");
  return others.length === 1 ? others[0] : null;
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((each) => each !== "null");
  if (types.length === 1 && types[0] !== undefined) return types[0];
  return isSchema(schema["properties"]) ? "object" : null;
}

function bound(name: "min" | "max", value: unknown) {
  return typeof value === "number" ? { [name]: value } : {};
}

/** Resolves a `$ref` within the schema. */
function resolved(given: unknown, root: Schema): Schema {
  let schema = isSchema(given) ? given : {};
  for (let steps = 0; typeof schema["$ref"] === "string" && steps < MAX_DEPTH; steps += 1) {
    const path = schema["$ref"].replace(/^#\//, "").split("/");
    const target = path.reduce<unknown>((own, key) => (isSchema(own) ? own[key] : null), root);
    schema = isSchema(target) ? target : {};
  }
  return schema;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function initialValues(fields: readonly NamedField[]): FieldValues {
  const required = fields.filter(({ isRequired }) => isRequired);
  return Object.fromEntries(required.map((each) => [each.name, initialValue(each)]));
}

/** The initial value of a field; undefined = none. */
export function initialValue({ field }: Described): unknown {
  switch (field.kind) {
    case "choice":
      return field.values[0];
    case "boolean":
      return false;
    case "text":
      return "";
    case "list":
      return [];
    case "object":
      return initialValues(field.fields);
    default:
      return undefined;
  }
}
