/** Calls of GLM: the tool's name, then a key and a value between tags for each argument, typed by the tool's schema. */

import { TooDeepError } from "../../util/exactJson.ts";
import type { ToolCallError, ToolDeclaration } from "../renderer.ts";
import { schemaOfTool } from "../toolSchema.ts";
import { readValues } from "./readValue.ts";
import { endOfValue, unclosedArgument, unclosedError } from "./taggedArguments.ts";
import {
  type CallSyntax,
  type MarkerPair,
  readToolCall,
  type ToolCallReading,
  toolCallError,
} from "./toolCalls.ts";

export const KEY: MarkerPair = { open: "<arg_key>", close: "</arg_key>" };
export const VALUE: MarkerPair = { open: "<arg_value>", close: "</arg_value>" };

const EXPECTED =
  "Write the name of the tool between the tool_call tags, and behind it, for each argument, its key between arg_key tags and its value between arg_value tags.";

/** Calls of this kind between these markers. */
export function glmCalls(markers: MarkerPair): CallSyntax {
  return {
    ...markers,
    expected: EXPECTED,
    read: (payload, raw, tools) => {
      const failure = (kind: ToolCallError["kind"]): ToolCallReading => ({
        kind: "error",
        error: toolCallError(kind, raw, EXPECTED),
      });
      try {
        return readCall(payload.trim(), raw, tools) ?? failure("not_readable");
      } catch (error) {
        if (error instanceof TooDeepError) return failure("too_deep");
        throw error;
      }
    },
  };
}

const OPENING = new RegExp(`${KEY.open}([^<]*)${KEY.close}`, "g");
/** What stands behind a closing tag: the next argument, or the end. */
const NEXT = new RegExp(`\\s*(?:${KEY.open}|$)`, "y");
/** Blanks around the key are trimmed afterward: a pattern that skips them itself tries each way to share them. */
const PAIR = new RegExp(`^${KEY.open}([^<]*)${KEY.close}\\s*${VALUE.open}`);

/** Null when the text is not exactly a name and its arguments, nor a call in the Hermes form. @throws TooDeepError */
function readCall(
  text: string,
  raw: string,
  tools: readonly ToolDeclaration[],
): ToolCallReading | null {
  if (text.startsWith("{")) {
    const reading = readToolCall(text, raw);
    return reading.kind === "call" ? reading : null;
  }
  const [named = ""] = /^[^<\n]*/.exec(text) ?? [];
  const name = named.trim();
  if (name === "") return null;
  const values = new Map<string, string>();
  let rest = text.slice(named.length).trimStart();
  while (rest !== "") {
    const [opening = "", written = ""] = PAIR.exec(rest) ?? [];
    const key = written.trim();
    if (key === "") return null;
    const behind = rest.slice(opening.length);
    const ended = endOfValue(behind, VALUE.close, NEXT);
    if (ended === null) return null;
    values.set(key, ended.value);
    rest = behind.slice(ended.length).trimStart();
  }
  const schema = schemaOfTool(name, tools);
  const unclosed = unclosedArgument({ values, schema, opening: OPENING, close: VALUE.close });
  if (unclosed !== null) {
    return { kind: "error", error: unclosedError(unclosed, raw, EXPECTED) };
  }
  return { kind: "call", call: { name, args: readValues(values, schema), raw } };
}
