/** Calls of DeepSeek V4.1: an `invoke` tag with one `parameter` tag per argument, which says itself whether its value is a string. */

import { type ExactJson, parseExactJson, TooDeepError } from "../../util/exactJson.ts";
import type { ToolCallError } from "../renderer.ts";
import { endOfValue, unclosedError } from "./taggedArguments.ts";
import { type CallSyntax, toolCallError } from "./toolCalls.ts";

/** The token at the beginning of each tag's name. */
export const DSML = "｜DSML｜";

const EXPECTED =
  'Write one block of calls, in it an invoke tag with the name of the tool per call, in that one parameter tag per argument with name="…" and string="true", or string="false" for a value in JSON, and close every tag.';

export const DSML_CALLS: CallSyntax = {
  open: `<${DSML} invoke`,
  close: `</${DSML} invoke>`,
  section: { open: `<${DSML} calls>`, close: `</${DSML} calls>`, isStrict: false, endsTurn: true },
  expected: EXPECTED,
  read: (payload, raw) => {
    const failure = (kind: ToolCallError["kind"]) => ({
      kind: "error" as const,
      error: toolCallError(kind, raw, EXPECTED),
    });
    const [tag, name] = /^ name="([^"\n]*)">/.exec(payload) ?? [];
    if (tag === undefined || name === undefined) return failure("not_readable");
    if (name.trim() === "") return failure("missing_name");
    try {
      const args = readParameters(payload.slice(tag.length));
      if (args === null) return failure("not_readable");
      return typeof args === "string"
        ? { kind: "error", error: unclosedError(args, raw, EXPECTED) }
        : { kind: "call", call: { name, args: Object.fromEntries(args), raw } };
    } catch (error) {
      if (error instanceof TooDeepError) return failure("too_deep");
      if (error instanceof SyntaxError) return failure("not_json");
      throw error;
    }
  },
};

const PARAMETER_OPEN = `<${DSML} parameter`;
const PARAMETER = new RegExp(`^${PARAMETER_OPEN} name="([^"\\n]*)" string="(true|false)">`);
const PARAMETER_CLOSE = `</${DSML} parameter>`;
/** What stands behind a closing tag: the next parameter, or the end. */
const NEXT = new RegExp(`\\s*(?:${PARAMETER_OPEN}|$)`, "y");

/**
 * Null when the text is not one parameter after the other, each with a name of its own; the name of one that was not closed before the
 * next began. @throws SyntaxError for a value that is no JSON
 */
function readParameters(text: string): ReadonlyMap<string, ExactJson> | string | null {
  const args = new Map<string, ExactJson>();
  let rest = text.trimStart();
  while (rest !== "") {
    const [tag, key, isString] = PARAMETER.exec(rest) ?? [];
    if (tag === undefined || key === undefined || args.has(key)) return null;
    const behind = rest.slice(tag.length);
    const ended = endOfValue(behind, PARAMETER_CLOSE, NEXT);
    if (ended === null) return null;
    const { value, length } = ended;
    if (value.lastIndexOf(PARAMETER_OPEN) > value.lastIndexOf(PARAMETER_CLOSE)) return key;
    args.set(key, isString === "true" ? value : parseExactJson(value));
    rest = behind.slice(length).trimStart();
  }
  return args;
}
