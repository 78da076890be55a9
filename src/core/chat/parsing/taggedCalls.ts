/** Calls whose arguments stand one behind the other, each with its key and its value between tags. */

import { type ExactJsonObject, TooDeepError } from "../../util/exactJson.ts";
import type { ToolCallError } from "../renderer.ts";
import { schemaOfTool, type ToolSchema } from "../toolSchema.ts";
import { type CallSyntax, failedCall, type MarkerPair, type ToolCallReading } from "./toolCalls.ts";

/** By key the value as written, and the match of {@link TaggedFormat.opening}. */
export type WrittenArguments = ReadonlyMap<
  string,
  { readonly value: string; readonly opening: RegExpExecArray }
>;

interface TaggedFormat {
  /** Sentence for the model that says how a call is written. */
  readonly expected: string;
  /** The tool that is named, and what is written behind its name; or what is wrong. */
  readonly headOf: (
    payload: string,
  ) => { readonly name: string; readonly text: string } | ToolCallError["kind"];
  /** Matches the opening of an argument at the start of a text, and captures its key. */
  readonly opening: RegExp;
  /** The key by what was captured; null for one that cannot be, beside those that are there. */
  readonly keyOf: (captured: string, known: WrittenArguments) => string | null;
  readonly close: string;
  /** Sticky; matches what may stand behind a closing tag: the next argument, or the end. */
  readonly next: RegExp;
  /** Global; matches an opening anywhere, and captures its key. */
  readonly inner: RegExp;
  /** @throws SyntaxError for a value that should be JSON */
  readonly argsOf: (written: WrittenArguments, schema: ToolSchema) => ExactJsonObject;
}

/** Calls in such a format between these markers. */
export function taggedCalls(markers: MarkerPair, format: TaggedFormat): CallSyntax {
  const { expected, headOf, argsOf } = format;
  return {
    ...markers,
    expected,
    read: (payload, raw, tools) => {
      const failure = (kind: ToolCallError["kind"]) => failedCall(kind, raw, expected);
      const head = headOf(payload);
      if (typeof head === "string") return failure(head);
      const written = writtenArguments(head.text, format);
      if (written === null) return failure("not_readable");
      const schema = schemaOfTool(head.name, tools);
      const unclosed = unclosedArgument(written, schema, format);
      if (unclosed !== null) return unclosedError(unclosed, raw, expected);
      try {
        return { kind: "call", call: { name: head.name, args: argsOf(written, schema), raw } };
      } catch (error) {
        if (error instanceof TooDeepError) return failure("too_deep");
        if (error instanceof SyntaxError) return failure("not_json");
        throw error;
      }
    },
  };
}

/** Null for a text that is anything else than arguments. */
function writtenArguments(text: string, format: TaggedFormat): WrittenArguments | null {
  const written = new Map<string, { value: string; opening: RegExpExecArray }>();
  let rest = text.trimStart();
  while (rest !== "") {
    const opening = format.opening.exec(rest);
    const key = opening === null ? null : format.keyOf(opening[1] ?? "", written);
    if (opening === null || key === null) return null;
    const start = opening[0].length;
    const end = endOfValue(rest, start, format);
    if (end === null) return null;
    written.set(key, { value: rest.slice(start, end), opening });
    rest = rest.slice(end + format.close.length).trimStart();
  }
  return written;
}

/** A value ends at the first closing tag that another argument or the end of the call follows: text may hold the tag. */
function endOfValue(text: string, start: number, { close, next }: TaggedFormat): number | null {
  for (let at = text.indexOf(close, start); at >= 0; at = text.indexOf(close, at + 1)) {
    next.lastIndex = at + close.length;
    if (next.test(text)) return at;
  }
  return null;
}

/**
 * The argument whose value holds the opening of another one that the tool declares and the call does not have otherwise, unclosed: its
 * own closing tag is missing. Null where there is none.
 */
function unclosedArgument(
  written: WrittenArguments,
  schema: ToolSchema,
  { close, inner }: TaggedFormat,
): string | null {
  for (const [key, { value }] of written) {
    const rest = value.slice(value.lastIndexOf(close) + 1);
    for (const [, found = ""] of rest.matchAll(inner)) {
      if (!written.has(found.trim()) && schema.parameter(found.trim()) !== null) return key;
    }
  }
  return null;
}

function unclosedError(key: string, raw: string, expected: string): ToolCallReading {
  const message = `The argument ${key} of the tool call was not closed before the next one, so the call did not run. ${expected}`;
  return { kind: "error", error: { kind: "unclosed_argument", raw, message } };
}
