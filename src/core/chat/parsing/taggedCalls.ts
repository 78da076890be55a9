/** Calls that list their arguments one after another, each with key and value between tags. */

import { type ExactJsonObject, TooDeepError } from "../../util/exactJson.ts";
import type { ToolCallError } from "../renderer.ts";
import { schemaOfTool, type ToolSchema } from "../toolSchema.ts";
import {
  type CallSyntax,
  failedCall,
  type MarkerPair,
  type ToolCallReading,
} from "./callFormats.ts";

/** Per key, the value as written and the match of {@link TaggedFormat.opening}. */
export type WrittenArguments = ReadonlyMap<
  string,
  { readonly value: string; readonly opening: RegExpExecArray }
>;

interface TaggedFormat {
  /** Sentence that shows the model how to write a call. */
  readonly expected: string;
  /** The tool's name and the text after it, or the kind of error. */
  readonly headOf: (
    payload: string,
  ) => { readonly name: string; readonly text: string } | ToolCallError["kind"];
  /** Matches an argument's opening at the start of the text and captures its key. */
  readonly opening: RegExp;
  /** Turns the captured text into a key; null if that key is invalid given the ones already read. */
  readonly keyOf: (captured: string, known: WrittenArguments) => string | null;
  readonly close: string;
  /** Sticky; matches what may follow a closing tag: the next argument, or the end. */
  readonly next: RegExp;
  /** Global; matches an opening anywhere and captures its key. */
  readonly inner: RegExp;
  /** @throws SyntaxError if a value should be JSON but is not */
  readonly argsOf: (written: WrittenArguments, schema: ToolSchema) => ExactJsonObject;
}

/** Call syntax for a tagged format between the given markers. */
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

/** Null if the text contains anything but arguments. */
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

/** A value ends at the first closing tag that is followed by another argument or the end of the call, since text may contain the tag. */
function endOfValue(text: string, start: number, { close, next }: TaggedFormat): number | null {
  for (let at = text.indexOf(close, start); at >= 0; at = text.indexOf(close, at + 1)) {
    next.lastIndex = at + close.length;
    if (next.test(text)) return at;
  }
  return null;
}

/**
 * The first argument that lacks its closing tag: its value contains the opening of another argument that the tool
 * declares and the call does not otherwise have. Null if there is none.
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
