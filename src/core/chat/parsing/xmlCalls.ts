/** Calls as XML: `<function=NAME>` around one `<parameter=KEY>` per argument, typed by the tool's schema. */

import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  parseExactJson,
  TooDeepError,
} from "../../util/exactJson.ts";
import type { ToolCallError, ToolDeclaration } from "../renderer.ts";
import { type CallSyntax, type MarkerPair, toolCallError } from "./toolCalls.ts";

const EXPECTED =
  "Write <function=NAME>, one <parameter=KEY> with its value and </parameter> per argument, and </function> between the call tags.";

/** Calls of this kind between these markers. */
export function xmlCalls(markers: MarkerPair): CallSyntax {
  return {
    ...markers,
    expected: EXPECTED,
    read: (payload, raw, tools) => {
      const failure = (kind: ToolCallError["kind"]) => ({
        kind: "error" as const,
        error: toolCallError(kind, raw, EXPECTED),
      });
      try {
        const call = readCall(payload, tools);
        return call === null ? failure("not_readable") : { kind: "call", call: { ...call, raw } };
      } catch (error) {
        if (error instanceof TooDeepError) return failure("too_deep");
        throw error;
      }
    },
  };
}

interface ReadCall {
  readonly name: string;
  readonly args: ExactJsonObject;
}

/** Null when the text is not exactly one function with its parameters. @throws TooDeepError */
function readCall(payload: string, tools: readonly ToolDeclaration[]): ReadCall | null {
  const text = payload.trim();
  const [, name, opening] = /^(?:<function=([^>\n]+)>)(\s*)/.exec(text) ?? [];
  if (name === undefined || opening === undefined || !text.endsWith("</function>")) return null;
  const inner = text.slice(`<function=${name}>`.length, -"</function>".length);
  const types = parameterTypes(name, tools);
  const args = new Map<string, ExactJson>();
  let rest = inner.trimStart();
  while (rest !== "") {
    const [tag, key] = /^<parameter=([^>\n]+)>/.exec(rest) ?? [];
    const close = rest.indexOf("</parameter>");
    if (tag === undefined || key === undefined || close < 0) return null;
    args.set(key, readValue(rest.slice(tag.length, close), types(key)));
    rest = rest.slice(close + "</parameter>".length).trimStart();
  }
  return { name, args: Object.fromEntries(args) };
}

/** The types that the tool's schema gives a parameter; empty when it says nothing. */
export function parameterTypes(
  tool: string,
  tools: readonly ToolDeclaration[],
): (key: string) => readonly string[] {
  const declared = tools.find(({ function: { name } }) => name === tool);
  const properties = declared?.function.parameters["properties"];
  return (key) => {
    const schema = isExactObject(properties) ? properties[key] : undefined;
    return isExactObject(schema) ? schemaTypes(schema) : [];
  };
}

function schemaTypes(schema: ExactJsonObject): readonly string[] {
  const { type, anyOf, oneOf } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((item) => typeof item === "string");
  const options = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(options)) return [];
  return options.flatMap((option) => (isExactObject(option) ? schemaTypes(option) : []));
}

/**
 * A value as text between tags, less one newline on either side. A string stays as it is; what may be something else is read as JSON
 * where it is JSON, Python's spelling of truth values and none included. @throws TooDeepError
 */
export function readValue(written: string, types: readonly string[]): ExactJson {
  const text = written.replace(/^\n/, "").replace(/\n$/, "");
  if (types.length > 0 && types.every((type) => type === "string")) return text;
  const value = PYTHON.get(text.trim()) ?? parsed(text);
  const isText =
    value === undefined || (typeof value.json === "string" && types.includes("string"));
  return isText ? text : value.json;
}

const PYTHON: ReadonlyMap<string, { readonly json: ExactJson }> = new Map([
  ["True", { json: true }],
  ["False", { json: false }],
  ["None", { json: null }],
]);

function parsed(text: string): { readonly json: ExactJson } | undefined {
  try {
    return { json: parseExactJson(text) };
  } catch (error) {
    if (error instanceof TooDeepError) throw error;
    return undefined;
  }
}
