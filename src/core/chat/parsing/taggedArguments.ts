/** Arguments of a call between tags: where a value ends, and what a value must not have swallowed. */

import type { ToolCallError } from "../renderer.ts";
import type { ToolSchema } from "../toolSchema.ts";

/** The value at the start of `text` and the length of it with its closing tag. */
interface Ended {
  readonly value: string;
  readonly length: number;
}

/**
 * A value ends at the first closing tag that another argument or the end of the call follows: text may hold the tag. `next` is sticky and
 * matches what may follow. Null where no tag closes it.
 */
export function endOfValue(text: string, close: string, next: RegExp): Ended | null {
  for (let at = text.indexOf(close); at >= 0; at = text.indexOf(close, at + 1)) {
    const end = at + close.length;
    next.lastIndex = end;
    if (next.test(text)) return { value: text.slice(0, at), length: end };
  }
  return null;
}

interface WrittenArguments {
  /** Values as written, by key. */
  readonly values: ReadonlyMap<string, string>;
  readonly schema: ToolSchema;
  /** Global; matches the opening of an argument, whose key it captures. */
  readonly opening: RegExp;
  readonly close: string;
}

/**
 * The argument whose value holds the opening of another one that the tool declares and the call does not have otherwise, unclosed: its
 * own closing tag is missing. Null where there is none.
 */
export function unclosedArgument({
  values,
  schema,
  opening,
  close,
}: WrittenArguments): string | null {
  for (const [key, value] of values) {
    const rest = value.slice(value.lastIndexOf(close) + 1);
    for (const [, inner = ""] of rest.matchAll(opening)) {
      if (!values.has(inner.trim()) && schema.parameter(inner.trim()) !== null) return key;
    }
  }
  return null;
}

/** The error for a call whose argument `key` is not closed. */
export function unclosedError(key: string, raw: string, expected: string): ToolCallError {
  const message = `The argument ${key} of the tool call was not closed before the next one, so the call did not run. ${expected}`;
  return { kind: "unclosed_argument", raw, message };
}
