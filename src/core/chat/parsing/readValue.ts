/** Reads a value that a call holds as text, in formats whose strings have no quotes: the tool's schema says what is JSON. */

import {
  type ExactJson,
  type ExactJsonObject,
  parseExactJson,
  TooDeepError,
} from "../../util/exactJson.ts";
import type { Admits, ToolSchema } from "../toolSchema.ts";
import type { WrittenArguments } from "./taggedCalls.ts";

/** Arguments from their values as written, by key; `cleaned` is the text of one. @throws TooDeepError */
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
 * JSON counts only where the schema declares its type, by value for an enum and a constant; all else is text. Where a string fits too,
 * only JSON of another type that fits the schema in whole and has no blanks around it counts: `42` for an integer or a string, `null`
 * for an optional string. An argument that the tool does not declare, `declared` null, is JSON where it is JSON. Python's spelling of
 * truth values and none is JSON here, since templates print it.
 * @throws TooDeepError for JSON nested too deep where no string is declared
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

/** @throws TooDeepError unless it may be text */
function parsed(text: string, isText: boolean): { readonly value: ExactJson } | undefined {
  try {
    return { value: parseExactJson(text) };
  } catch (error) {
    if (error instanceof TooDeepError && !isText) throw error;
    return undefined;
  }
}
