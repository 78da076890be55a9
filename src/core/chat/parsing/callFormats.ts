/** How turns contain calls, and a reader for Hermes calls: a JSON object with `name` and `arguments`. */

import { isExactObject, parseExactJson, TooDeepError } from "../../util/exactJson.ts";
import { MAX_DEPTH } from "../../util/jsonl.ts";
import type { ToolCall, ToolCallError, ToolDeclaration } from "../renderer.ts";

export type ToolCallReading =
  | { readonly kind: "call"; readonly call: ToolCall }
  | { readonly kind: "error"; readonly error: ToolCallError };

export interface MarkerPair {
  readonly open: string;
  readonly close: string;
}

export interface CallSection extends MarkerPair {
  /** True = markers outside the section are text, as is a section without calls. False = both are errors. */
  readonly isStrict: boolean;
  /** True = text after the section is not part of the turn. */
  readonly endsTurn: boolean;
}

/** Calls between markers. */
export interface CallSyntax extends MarkerPair {
  /** Sentence that shows the model how to write a call; contains no control token. */
  readonly expected: string;
  /** Markers around all calls of a turn; a call outside them does not run. */
  readonly section?: CallSection;
  /** Reads the text between the markers; `raw` is the call including them. */
  readonly read: (
    payload: string,
    raw: string,
    tools: readonly ToolDeclaration[],
  ) => ToolCallReading;
}

const EXPECTED = 'Write one JSON object with the keys "name" and "arguments" per call.';

/** The call syntax of all models that use their own template. */
export const HERMES_CALLS: CallSyntax = {
  open: "<tool_call>",
  close: "</tool_call>",
  expected: EXPECTED,
  read: readToolCall,
};

const MESSAGES: Readonly<Record<ToolCallError["kind"], string>> = {
  not_json: "The tool call is not valid JSON.",
  not_object: "The tool call is valid JSON but not an object.",
  not_readable: "The tool call is malformed, so it did not run.",
  missing_name: "The tool call does not name a tool.",
  bad_arguments: "The arguments of the tool call are not a JSON object.",
  too_deep: `The tool call is nested more than ${MAX_DEPTH} levels deep, so it did not run. Write flatter arguments.`,
  unclosed_argument: "An argument of the tool call was not closed, so it did not run.",
  in_reasoning:
    "The tool call is inside the reasoning, so it did not run. Close the reasoning, then call.",
  undeclared: "There is no tool of this name, so the call did not run.",
  unterminated: "The tool call was not closed, so it did not run.",
};

/**
 * Reads `payload`, the text between the call markers; `raw` is the call as written, markers included. `parameters` is
 * accepted if `arguments` is missing.
 */
export function readToolCall(payload: string, raw: string): ToolCallReading {
  try {
    return reading(parseExactJson(payload), raw);
  } catch (error) {
    return failedCall(error instanceof TooDeepError ? "too_deep" : "not_json", raw, EXPECTED);
  }
}

interface ArgumentsOptions {
  readonly name: string;
  /** The call as the model wrote it. */
  readonly raw: string;
  /** False if the call was cut off; unreadable arguments then count as unterminated. */
  readonly isClosed: boolean;
  /** Sentence that shows the model how to write a call. */
  readonly expected: string;
}

/** Reads the arguments of a call whose name is elsewhere: one JSON object. */
export function readArguments(
  text: string,
  { name, raw, isClosed, expected }: ArgumentsOptions,
): ToolCallReading {
  try {
    const args = parseExactJson(text);
    return isExactObject(args)
      ? { kind: "call", call: { name, args, raw } }
      : failedCall("bad_arguments", raw, expected);
  } catch (error) {
    if (error instanceof TooDeepError) return failedCall("too_deep", raw, expected);
    if (!isClosed) return failedCall("unterminated", raw, expected);
    const message = `The arguments of the tool call are not valid JSON. ${expected}`;
    return { kind: "error", error: { kind: "not_json", raw, message } };
  }
}

function reading(value: unknown, raw: string): ToolCallReading {
  if (!isExactObject(value)) return failedCall("not_object", raw, EXPECTED);
  const name = value["name"];
  if (!isToolName(name)) return failedCall("missing_name", raw, EXPECTED);
  const args = value["arguments"] ?? value["parameters"];
  return isExactObject(args)
    ? { kind: "call", call: { name, args, raw } }
    : failedCall("bad_arguments", raw, EXPECTED);
}

/** True if the value can name a tool. */
export function isToolName(name: unknown): name is string {
  return typeof name === "string" && name.trim() !== "";
}

/** Builds the error for a call; its message explains to the model what went wrong and how to write a call. */
export function toolCallError(
  kind: ToolCallError["kind"],
  raw: string,
  expected: string,
): ToolCallError {
  return { kind, raw, message: `${MESSAGES[kind]} ${expected}` };
}

/** Wraps {@link toolCallError} as a reading. */
export function failedCall(
  ...error: Parameters<typeof toolCallError>
): Extract<ToolCallReading, { readonly kind: "error" }> {
  return { kind: "error", error: toolCallError(...error) };
}
