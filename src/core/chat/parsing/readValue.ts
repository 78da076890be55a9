/** Reads argument values in formats that do not quote strings; the tool's schema decides what is JSON. */

import {
  type ExactJson,
  type ExactJsonObject,
  parseExactJson,
  TooDeepError,
} from "../../util/exactJson.ts";
import type { Admits, ToolSchema } from "../toolSchema.ts";
import type { WrittenArguments } from "./taggedCalls.ts";

/** Reads written arguments by key; `cleaned` trims each value's text. @throws TooDeepError */
export function readValues(
  values: WrittenArguments,
  { parameter }: ToolSchema,
  cleaned = (value: string) => value,
): ExactJsonObject {
  const read = Array.from(values, ([key, { value }]) => {
    return [key, readValue(cleaned(value), parameter(key))] as const;
  });
  return Object.fromEntries(read);
}

/**
 * A value is JSON only if the schema declares its type (for enums and constants, the value itself); anything else is text. If the schema
 * also allows a string, it is JSON only if it is not a string, matches the whole schema, and has no surrounding blanks: `42` for integer or
 * string, `null` for an optional string. If the tool does not declare the argument (`declared` is null), any valid JSON counts. Python's
 * True, False and None count as JSON, since templates print them.
 * @throws TooDeepError for JSON nested too deep if no string is allowed
 */
export function readValue(text: string, declared: Admits | null): ExactJson {
  const isText = declared !== null && declared(text, "whole") !== false;
  const json = PYTHON.get(text.trim()) ?? parsed(text, isText);
  if (json === undefined) return text;
  const { value } = json;
  if (declared === null) return value;
  if (!isText) return declared(value, "type") === true ? value : text;
  const isOther = typeof value !== "string" && text === text.trim();
  return isOther && declared(value, "whole") === true ? value : text;
}

const PYTHON: ReadonlyMap<string, { readonly value: ExactJson }> = new Map([
  ["True", { value: true }],
  ["False", { value: false }],
  ["None", { value: null }],
]);

/** @throws TooDeepError unless the value may be text */
function parsed(text: string, isText: boolean): { readonly value: ExactJson } | undefined {
  try {
    return { value: parseExactJson(text) };
  } catch (error) {
    if (error instanceof TooDeepError && !isText) throw error;
    return undefined;
  }
}
