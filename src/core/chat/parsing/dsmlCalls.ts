/** Calls of DeepSeek V4.1: an `invoke` tag with one `parameter` tag per argument, which says itself whether its value is a string. */

import { type ExactJson, parseExactJson, TooDeepError } from "../../util/exactJson.ts";
import type { ToolCallError, ToolDeclaration } from "../renderer.ts";
import { schemaOfTool } from "../toolSchema.ts";
import { endOfValue, unclosedArgument, unclosedError } from "./taggedArguments.ts";
import { type CallSyntax, type ToolCallReading, toolCallError } from "./toolCalls.ts";

/** The token at the beginning of each tag's name. */
export const DSML = "｜DSML｜";

const EXPECTED =
  'Write one block of calls, in it an invoke tag with the name of the tool per call, in that one parameter tag per argument with name="…" and string="true", or string="false" for a value in JSON, and close every tag.';

export const DSML_CALLS: CallSyntax = {
  open: `<${DSML} invoke`,
  close: `</${DSML} invoke>`,
  section: { open: `<${DSML} calls>`, close: `</${DSML} calls>`, isStrict: false, endsTurn: true },
  expected: EXPECTED,
  read: (payload, raw, tools) => {
    const failure = (kind: ToolCallError["kind"]): ToolCallReading => ({
      kind: "error",
      error: toolCallError(kind, raw, EXPECTED),
    });
    const [tag, name] = /^ name="([^"\n]*)">/.exec(payload) ?? [];
    if (tag === undefined || name === undefined) return failure("not_readable");
    if (name.trim() === "") return failure("missing_name");
    try {
      return readCall(name, payload.slice(tag.length), raw, tools) ?? failure("not_readable");
    } catch (error) {
      if (error instanceof TooDeepError) return failure("too_deep");
      if (error instanceof SyntaxError) return failure("not_json");
      throw error;
    }
  },
};

const PARAMETER_OPEN = `<${DSML} parameter`;
const PARAMETER = new RegExp(`^${PARAMETER_OPEN} name="([^"\\n]*)" string="(true|false)">`);
const OPENING = new RegExp(`${PARAMETER_OPEN} name="([^"<\\n]*)"`, "g");
const PARAMETER_CLOSE = `</${DSML} parameter>`;
/** What stands behind a closing tag: the next parameter, or the end. */
const NEXT = new RegExp(`\\s*(?:${PARAMETER_OPEN}|$)`, "y");

/** Null when the text is not one parameter after the other, each with a name of its own. @throws SyntaxError for a value that is no JSON */
function readCall(
  name: string,
  text: string,
  raw: string,
  tools: readonly ToolDeclaration[],
): ToolCallReading | null {
  const values = new Map<string, string>();
  const texts = new Set<string>();
  let rest = text.trimStart();
  while (rest !== "") {
    const [tag, key, isText] = PARAMETER.exec(rest) ?? [];
    if (tag === undefined || key === undefined || values.has(key)) return null;
    const behind = rest.slice(tag.length);
    const ended = endOfValue(behind, PARAMETER_CLOSE, NEXT);
    if (ended === null) return null;
    values.set(key, ended.value);
    if (isText === "true") texts.add(key);
    rest = behind.slice(ended.length).trimStart();
  }
  const schema = schemaOfTool(name, tools);
  const unclosed = unclosedArgument({ values, schema, opening: OPENING, close: PARAMETER_CLOSE });
  if (unclosed !== null) {
    return { kind: "error", error: unclosedError(unclosed, raw, EXPECTED) };
  }
  const args = [...values].map(([key, value]): [string, ExactJson] => [
    key,
    texts.has(key) ? value : parseExactJson(value),
  ]);
  return { kind: "call", call: { name, args: Object.fromEntries(args), raw } };
}
