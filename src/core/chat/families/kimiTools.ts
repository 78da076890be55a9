/**
 * Tool declarations of Kimi K2.5 and later, as TypeScript. Source: `tool_declaration_ts.py` of moonshotai/Kimi-K2.5.
 */

import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  writeExactJson,
} from "../../util/exactJson.ts";
import type { ToolDeclaration } from "../renderer.ts";

/** A schema that has no TypeScript form. */
class InexpressibleError extends Error {}

/** Definitions that a tool's types refer to, and whether any type refers to the root (`#`). */
interface References {
  readonly definitions: Map<string, ExactJson>;
  namesRoot: boolean;
}

const INDENT = "  ";
const ROOT = "parameters";

/** Null if a tool's schema has no TypeScript form; the caller then declares the tools as JSON. */
export function writeTypeScript(tools: readonly ToolDeclaration[]): string | null {
  try {
    const declared = tools.map(({ function: tool }) => `${writeFunction(tool)}\n`);
    return `# Tools\n\n## functions\nnamespace functions {\n${declared.join("")}}\n`;
  } catch (error) {
    if (error instanceof InexpressibleError) return null;
    throw error;
  }
}

function writeFunction({ name, description, parameters }: ToolDeclaration["function"]): string {
  const references: References = { definitions: new Map(), namesRoot: false };
  const inline = writeObject(parameters, "", references);
  const { namesRoot, definitions } = references;
  const root = namesRoot ? [`interface ${ROOT} ${inline}`] : [];
  const named = [...definitions].map(([key, schema]) => {
    const note = comment(isExactObject(schema) ? schema["description"] : undefined, "");
    return `${note}interface ${key} ${writeType(schema, "", references)}`;
  });
  const type = `type ${name} = (_: ${namesRoot ? ROOT : inline}) => any;`;
  return [...root, ...named, comment(description, "") + type].join("\n");
}

/** Required properties first, then optional ones, each sorted by name. */
function writeObject(schema: ExactJsonObject, indent: string, references: References): string {
  const { $defs, properties, required, additionalProperties: others } = schema;
  for (const [key, definition] of Object.entries(isExactObject($defs) ? $defs : {})) {
    references.definitions.set(key, definition);
  }
  const inner = indent + INDENT;
  const names = new Set<ExactJson>(Array.isArray(required) ? required : []);
  const isRequired = (key: string): boolean => names.has(key);
  const fields = Object.entries(isExactObject(properties) ? properties : {})
    .sort(([a], [b]) => Number(isRequired(b)) - Number(isRequired(a)) || (a < b ? -1 : 1))
    .map(([key, property]) => {
      const mark = isRequired(key) ? "" : "?";
      const type = writeType(property, inner, references);
      return `${notes(property, inner)}${defaultNote(property, inner)}${inner}${key}${mark}: ${type}`;
    });
  if (others !== undefined && others !== null) {
    const type = others === false ? "never" : writeType(others, inner, references);
    fields.push(`${inner}[k: string]: ${type}`);
  }
  return fields.length === 0 ? "{}" : `{\n${fields.join(",\n")}\n${indent}}`;
}

const UNION_TYPES: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
  object: "{}",
  array: "Array<any>",
};

/** @throws InexpressibleError */
function writeType(schema: ExactJson, indent: string, references: References): string {
  if (typeof schema === "boolean") return schema ? "any" : "null";
  if (!isExactObject(schema)) throw new InexpressibleError();
  const { $ref, anyOf, enum: values, type } = schema;
  if ($ref !== undefined) return writeReference($ref, references);
  if (Array.isArray(anyOf)) {
    return anyOf.map((option) => writeType(option, indent, references)).join(" | ");
  }
  if (Array.isArray(values)) {
    return values
      .map((value) => (typeof value === "string" ? `"${value}"` : writeExactJson(value, "spaced")))
      .join(" | ");
  }
  if (Array.isArray(type)) return type.map(unionType).join(" | ");
  if (type === "object") return writeObject(schema, indent, references);
  if (type === "array") return writeArray(schema["items"], indent, references);
  if (typeof type === "string") return type === "integer" ? "number" : type;
  if (Object.keys(schema).length === 0) return "any";
  throw new InexpressibleError();
}

/** @throws InexpressibleError */
function unionType(type: ExactJson): string {
  const name = typeof type === "string" ? UNION_TYPES[type] : undefined;
  if (name === undefined) throw new InexpressibleError();
  return name;
}

/** @throws InexpressibleError */
function writeReference(reference: ExactJson, references: References): string {
  if (reference === "#") {
    references.namesRoot = true;
    return ROOT;
  }
  const [, key = ""] = /^#\/\$defs\/(.+)$/.exec(String(reference)) ?? [];
  if (!references.definitions.has(key)) throw new InexpressibleError();
  return key;
}

function writeArray(items: ExactJson | undefined, indent: string, references: References): string {
  const isGiven = items !== undefined && items !== null && items !== false;
  const item = isGiven ? items : {};
  const inner = indent + INDENT;
  const note = notes(item, inner);
  if (note === "") return `Array<${writeType(item, indent, references)}>`;
  return `Array<\n${note}${inner}${writeType(item, inner, references)}\n${indent}>`;
}

/** The limits that are noted for a type. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  string: ["maxLength", "minLength", "pattern"],
  number: ["maximum", "minimum"],
  integer: ["maximum", "minimum"],
  array: ["maxItems", "minItems"],
};

/** Comment lines above a type: its description, then its limits. */
function notes(schema: ExactJson, indent: string): string {
  if (!isExactObject(schema)) return "";
  const { description, type, $ref, anyOf, enum: values } = schema;
  const isPlain = $ref === undefined && anyOf === undefined && values === undefined;
  const known = isPlain && typeof type === "string" ? (LIMITS[type] ?? []) : [];
  const limits = known.flatMap((key) => {
    const limit = schema[key];
    return limit === undefined ? [] : [`${key}: ${plainText(limit)}`];
  });
  return comment(description, indent) + comment(limits.join(", "), indent);
}

function defaultNote(schema: ExactJson, indent: string): string {
  const value = isExactObject(schema) ? schema["default"] : undefined;
  if (value === undefined || value === null) return "";
  return `${indent}// Default: ${writeExactJson(value, "spaced")}\n`;
}

function plainText(value: ExactJson): string {
  return typeof value === "string" ? value : writeExactJson(value, "spaced");
}

/** One comment line per line of text; empty if there is no text. */
function comment(text: ExactJson | undefined, indent: string): string {
  if (typeof text !== "string" || text === "") return "";
  return text
    .split("\n")
    .map((line) => (line === "" ? "\n" : `${indent}// ${line}\n`))
    .join("");
}
