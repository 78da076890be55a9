/** Declares tools as TypeScript, the way openai-harmony renders their JSON schemas. */

import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  writeExactJson,
} from "../../util/exactJson.ts";
import type { ToolDeclaration } from "../renderer.ts";

export function declareTools(tools: readonly ToolDeclaration[]): string {
  const types = tools.map(({ function: { name, description, parameters } }) => {
    const lines = description === "" ? [] : description.replace(/\r?\n$/, "").split(/\r?\n/);
    const comment = lines.map((line) => `// ${line}\n`).join("");
    return `${comment}type ${name} = (_: ${typeOf(parameters, "")}) => any;\n\n`;
  });
  return `# Tools\n\n## functions\n\nnamespace functions {\n\n${types.join("")}} // namespace functions`;
}

function typeOf(value: ExactJson | undefined, indent: string): string {
  const schema = asSchema(value);
  const { oneOf, type, items } = schema;
  const variants = listOf(oneOf);
  if (variants !== null) {
    return variants
      .map((variant) => `\n${indent} | ${variantType(variant, indent, descriptionOf(variant))}`)
      .join("");
  }
  const types = (listOf(type) ?? []).filter((name) => typeof name === "string");
  if (types.length > 0) {
    return types.map((name) => (name === "integer" ? "number" : name)).join(" | ");
  }
  switch (type) {
    case "object":
      return objectType(schema, indent);
    case "string":
      return enumType(schema) ?? "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return items === undefined ? "Array<any>" : `${typeOf(items, indent)}[]`;
    default:
      return "any";
  }
}

function objectType(schema: ExactJsonObject, indent: string): string {
  const required = new Set<ExactJson>(listOf(schema["required"]));
  const description = descriptionOf(schema);
  const properties = Object.entries(asSchema(schema["properties"])).map(([key, value]) =>
    property(required.has(key) ? key : `${key}?`, asSchema(value), indent),
  );
  const comment = description === null ? "" : `${indent}// ${description}\n`;
  return `${comment}{\n${properties.join("")}${indent}}`;
}

function property(name: string, schema: ExactJsonObject, indent: string): string {
  const { title, examples } = schema;
  const description = descriptionOf(schema);
  const variants = listOf(schema["oneOf"]);
  const head = [
    ...(typeof title === "string" ? [title, null] : []),
    ...(variants === null && description !== null ? [description] : []),
    ...exampleLines(listOf(examples) ?? []),
  ];
  if (variants !== null) return unionProperty(name, schema, { variants, head, indent });
  const shown = defaultOf(schema);
  const comment = shown === null ? "" : ` // ${shown}`;
  const type = nullableType(schema, `${indent}    `);
  return `${comments(head, indent)}${indent}${name}: ${type},${comment}\n`;
}

interface Union {
  readonly variants: readonly ExactJson[];
  readonly head: readonly (string | null)[];
  readonly indent: string;
}

/** A property with `oneOf`: one line per variant. A description equal to the first variant's appears only on that line. */
function unionProperty(
  name: string,
  schema: ExactJsonObject,
  { variants, head, indent }: Union,
): string {
  const description = descriptionOf(schema);
  const isAbove = description !== null && description !== descriptionOf(variants[0]);
  const shown = defaultOf(schema);
  const above = [...head, ...(isAbove ? [description] : []), ...(shown === null ? [] : [shown])];
  const lines = variants.map((variant, i) => {
    const own = descriptionOf(variant);
    const isSaid = (i === 0 && isAbove) || own === description;
    return `${indent} | ${variantType(variant, indent, isSaid ? null : own)}\n`;
  });
  return `${comments(above, indent)}${indent}${name}:\n${lines.join("")}${indent},\n`;
}

function variantType(variant: ExactJson, indent: string, description: string | null): string {
  const schema = asSchema(variant);
  const notes = [description, defaultOf(schema)].filter((note) => note !== null);
  const comment = notes.length === 0 ? "" : ` // ${notes.join(" ")}`;
  return nullableType(schema, `${indent}   `) + comment;
}

function nullableType(schema: ExactJsonObject, indent: string): string {
  const type = typeOf(schema, indent);
  return schema["nullable"] === true && !type.includes("null") ? `${type} | null` : type;
}

/** Null if the schema has no enum of strings. */
function enumType({ enum: values }: ExactJsonObject): string | null {
  const names = (listOf(values) ?? []).filter((value) => typeof value === "string");
  return names.length === 0 ? null : names.map((name) => `"${name}"`).join(" | ");
}

/** A null line becomes an empty comment. */
function comments(lines: readonly (string | null)[], indent: string): string {
  return lines.map((line) => `${indent}//${line === null ? "" : ` ${line}`}\n`).join("");
}

function exampleLines(examples: readonly ExactJson[]): readonly string[] {
  if (examples.length === 0) return [];
  const texts = examples.filter((example) => typeof example === "string");
  return ["Examples:", ...texts.map((text) => `- "${text}"`)];
}

function defaultOf(schema: ExactJsonObject): string | null {
  const { default: value, enum: values } = schema;
  if (value === undefined) return null;
  if (typeof value !== "string") return `default: ${writeExactJson(value)}`;
  return `default: ${(listOf(values) ?? []).length > 0 ? value : `"${value}"`}`;
}

function descriptionOf(value: ExactJson | undefined): string | null {
  const { description } = asSchema(value);
  return typeof description === "string" ? description : null;
}

function asSchema(value: ExactJson | undefined): ExactJsonObject {
  return isExactObject(value) ? value : {};
}

function listOf(value: ExactJson | undefined): readonly ExactJson[] | null {
  return Array.isArray(value) ? value : null;
}
