/** Calls of GLM: the tool's name, then a key and a value between tags for each argument, typed by the tool's schema. */

import { readValues } from "./readValue.ts";
import { taggedCalls } from "./taggedCalls.ts";
import { type CallSyntax, failedCall, type MarkerPair, readToolCall } from "./toolCalls.ts";

export const KEY: MarkerPair = { open: "<arg_key>", close: "</arg_key>" };
export const VALUE: MarkerPair = { open: "<arg_value>", close: "</arg_value>" };

/** Calls of this kind between these markers, or in the Hermes form. */
export function glmCalls(markers: MarkerPair): CallSyntax {
  const tagged = taggedCalls(markers, {
    expected:
      "Write the name of the tool between the tool_call tags, and behind it, for each argument, its key between arg_key tags and its value between arg_value tags.",
    headOf: (payload) => {
      const text = payload.trim();
      const [named = ""] = /^[^<\n]*/.exec(text) ?? [];
      const name = named.trim();
      return name === "" ? "not_readable" : { name, text: text.slice(named.length) };
    },
    opening: new RegExp(`^${KEY.open}([^<]*)${KEY.close}\\s*${VALUE.open}`),
    // Here, because a pattern that skips blanks around the key itself tries each way to share them.
    keyOf: (captured) => captured.trim() || null,
    close: VALUE.close,
    next: new RegExp(`\\s*(?:${KEY.open}|$)`, "y"),
    inner: new RegExp(`${KEY.open}([^<]*)${KEY.close}`, "g"),
    argsOf: readValues,
  });
  return {
    ...tagged,
    read: (payload, raw, tools) => {
      if (!payload.trim().startsWith("{")) return tagged.read(payload, raw, tools);
      const reading = readToolCall(payload, raw);
      return reading.kind === "call" ? reading : failedCall("not_readable", raw, tagged.expected);
    },
  };
}
