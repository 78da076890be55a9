/** Calls as XML: `<function=NAME>` around one `<parameter=KEY>` per argument, typed by the tool's schema. */

import { readValues } from "./readValue.ts";
import { taggedCalls } from "./taggedCalls.ts";
import type { CallSyntax, MarkerPair } from "./toolCalls.ts";

const END = "</function>";

/** Calls of this kind between these markers. */
export function xmlCalls(markers: MarkerPair): CallSyntax {
  return taggedCalls(markers, {
    expected:
      "Write <function=NAME>, one <parameter=KEY> with its value and </parameter> per argument, and </function> between the call tags.",
    headOf: (payload) => {
      const text = payload.trim();
      const [tag, name] = /^<function=([^>\n]+)>/.exec(text) ?? [];
      if (tag === undefined || name === undefined || !text.endsWith(END)) return "not_readable";
      return { name, text: text.slice(tag.length, -END.length) };
    },
    opening: /^<parameter=([^>\n]+)>/,
    keyOf: (key) => key,
    close: "</parameter>",
    next: /\s*(?:<parameter=[^>\n]+>|$)/y,
    inner: /<parameter=([^<>\n]+)>/g,
    argsOf: (written, schema) =>
      readValues(written, schema, (value) => value.replace(/^\n/, "").replace(/\n$/, "")),
  });
}
