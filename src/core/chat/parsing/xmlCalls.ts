/** Calls as XML: `<function=NAME>` around one `<parameter=KEY>` per argument, typed by the tool's schema. */

import { TooDeepError } from "../../util/exactJson.ts";
import type { ToolCallError, ToolDeclaration } from "../renderer.ts";
import { schemaOfTool } from "../toolSchema.ts";
import { readValues } from "./readValue.ts";
import { endOfValue, unclosedArgument, unclosedError } from "./taggedArguments.ts";
import {
  type CallSyntax,
  type MarkerPair,
  type ToolCallReading,
  toolCallError,
} from "./toolCalls.ts";

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
        return readCall(payload, raw, tools) ?? failure("not_readable");
      } catch (error) {
        if (error instanceof TooDeepError) return failure("too_deep");
        throw error;
      }
    },
  };
}

const OPENING = /<parameter=([^<>\n]+)>/g;
const CLOSE = "</parameter>";
/** What stands behind a closing tag: the next parameter, or the end. */
const NEXT = /\s*(?:<parameter=[^>\n]+>|$)/y;

/** Null when the text is not exactly one function with its parameters. @throws TooDeepError */
function readCall(
  payload: string,
  raw: string,
  tools: readonly ToolDeclaration[],
): ToolCallReading | null {
  const text = payload.trim();
  const [tag, name] = /^<function=([^>\n]+)>/.exec(text) ?? [];
  if (tag === undefined || name === undefined || !text.endsWith("</function>")) return null;
  const values = new Map<string, string>();
  let rest = text.slice(tag.length, -"</function>".length).trimStart();
  while (rest !== "") {
    const [opening, key] = /^<parameter=([^>\n]+)>/.exec(rest) ?? [];
    if (opening === undefined || key === undefined) return null;
    const behind = rest.slice(opening.length);
    const ended = endOfValue(behind, CLOSE, NEXT);
    if (ended === null) return null;
    values.set(key, ended.value.replace(/^\n/, "").replace(/\n$/, ""));
    rest = behind.slice(ended.length).trimStart();
  }
  const schema = schemaOfTool(name, tools);
  const unclosed = unclosedArgument({ values, schema, opening: OPENING, close: CLOSE });
  if (unclosed !== null) {
    return { kind: "error", error: unclosedError(unclosed, raw, EXPECTED) };
  }
  return { kind: "call", call: { name, args: readValues(values, schema), raw } };
}
