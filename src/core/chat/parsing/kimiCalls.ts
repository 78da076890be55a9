/** Calls of Kimi: an id that holds the tool's name and a number, then one JSON object, in the section of the calls. */

import { type CallSyntax, failedCall, readArguments } from "./toolCalls.ts";

/** Between the id of a call and its arguments. */
export const ARGUMENTS = "<|tool_call_argument_begin|>";

const EXPECTED =
  "Open the section of the calls, write each call as functions.NAME:NUMBER and one JSON object with the arguments between its markers, and close the section.";

export const kimiCalls = {
  open: "<|tool_call_begin|>",
  close: "<|tool_call_end|>",
  section: {
    open: "<|tool_calls_section_begin|>",
    close: "<|tool_calls_section_end|>",
    isStrict: true,
    endsTurn: true,
  },
  expected: EXPECTED,
  read: (payload, raw) => {
    const at = payload.indexOf(ARGUMENTS);
    const id = payload.slice(0, Math.max(at, 0)).trim();
    const name = nameOf(id);
    if (at < 0 || name === "") {
      return failedCall(at < 0 ? "not_readable" : "missing_name", raw, EXPECTED);
    }
    const text = payload.slice(at + ARGUMENTS.length);
    const reading = readArguments(text, { name, raw, isClosed: true, expected: EXPECTED });
    return reading.kind === "call"
      ? { kind: "call", call: { ...reading.call, id } }
      : { kind: "error", error: { ...reading.error, id } };
  },
} as const satisfies CallSyntax;

/** Up to the last colon, without the prefix; a model may leave out either. */
function nameOf(id: string): string {
  const colon = id.lastIndexOf(":");
  return (colon < 0 ? id : id.slice(0, colon)).replace(/^functions\./, "");
}
