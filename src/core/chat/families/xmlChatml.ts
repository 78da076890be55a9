/** Shared by Qwen3.5 and Nemotron 3: ChatML turns, results in user turns, calls as XML, and the instructions for calls. */

import { type ExactJson, pythonNumbers, writeExactJson } from "../../util/exactJson.ts";
import { isToolName } from "../parsing/callFormats.ts";
import { readValues } from "../parsing/readValue.ts";
import { taggedCalls } from "../parsing/taggedCalls.ts";
import { control, markersOf, type Piece } from "../pieces.ts";
import type { AssistantMessage, FollowUp, InitialMessage, ToolCall } from "../renderer.ts";
import { lastUserIndex, turnReading } from "./turns.ts";

export const START = control("<|im_start|>");
export const END = control("<|im_end|>");
export const CALL = { open: control("<tool_call>"), close: control("</tool_call>") };
export const RESULT = { open: control("<tool_response>"), close: control("</tool_response>") };

/** The official templates' instructions for writing a call, printed after the declared tools and a blank line. */
export const XML_LESSON = [
  `

If you choose to call a function ONLY reply in the following format with NO suffix:

`,
  CALL.open,
  `
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
`,
  CALL.close,
  `

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within `,
  CALL.open,
  CALL.close,
  ` XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>`,
] as const;

/** A call as the models write it, markers included. */
export function callPieces(
  { name, args }: Pick<ToolCall, "name" | "args">,
  writeValue: (value: ExactJson) => string,
): readonly Piece[] {
  return [
    ...[CALL.open, `\n<function=${name}>\n`],
    ...Object.entries(args).map(
      ([key, value]) => `<parameter=${key}>\n${writeValue(value)}\n</parameter>\n`,
    ),
    ...["</function>\n", CALL.close],
  ];
}

/** A string as is, any other value as JSON. */
export function writeJsonValue(value: ExactJson): string {
  if (typeof value === "string") return value;
  return writeExactJson(pythonNumbers(value), "spaced");
}

/** Like `writeJsonValue`, but a top-level boolean or null is written as Python's `str` prints it. */
export function writePythonValue(value: ExactJson): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return writeJsonValue(value);
}

interface InsertionLayout {
  /** Formats a message's text for printing. */
  readonly text: (content: string) => string;
  /** Printed after the last result of a turn, before the turn's end token. */
  readonly resultsEnd: string;
}

/** A turn that is not the model's. Consecutive results share one; `before` and `after` are the roles of the adjacent messages. */
function insertionTurn(
  { role, content }: Exclude<InitialMessage, AssistantMessage>,
  { before, after }: { readonly before: string | undefined; readonly after: string | undefined },
  { text, resultsEnd }: InsertionLayout,
): readonly Piece[] {
  if (role !== "tool") return [START, `${role}\n`, text(content), END, "\n"];
  return [
    ...(before === "tool" ? ["\n"] : [START, "user\n"]),
    ...[RESULT.open, "\n", text(content), "\n", RESULT.close],
    ...(after === "tool" ? [] : [resultsEnd, END, "\n"]),
  ];
}

/** All turns after the system text. `isCurrent` is true for model turns that no user message follows. */
export function conversationTurns(
  messages: readonly InitialMessage[],
  layout: InsertionLayout,
  assistantTurn: (message: AssistantMessage, isCurrent: boolean) => readonly Piece[],
): readonly Piece[] {
  const last = lastUserIndex(messages);
  return messages.flatMap((message, i) => {
    if (message.role === "assistant") return assistantTurn(message, i > last);
    const neighbors = { before: messages[i - 1]?.role, after: messages[i + 1]?.role };
    return insertionTurn(message, neighbors, layout);
  });
}

/** Everything between a model turn and the opening of the next one, inclusive. */
export function followUpPieces(
  followUps: readonly FollowUp[],
  layout: InsertionLayout,
  opening: readonly Piece[],
): readonly Piece[] {
  return ["\n", ...conversationTurns(followUps, layout, () => []), ...opening];
}

/** Reads and closes turns of these families; `startsThinking` if the prompt opened the reasoning. */
export function xmlTurnReading(startsThinking: boolean): ReturnType<typeof turnReading> {
  return turnReading({ end: END, calls: XML_CALLS, startsThinking });
}

const FUNCTION_END = "</function>";

/** Calls as XML: `<function=NAME>` around one `<parameter=KEY>` per argument, typed by the tool's schema. */
export const XML_CALLS = taggedCalls(markersOf(CALL), {
  expected:
    "Write <function=NAME>, one <parameter=KEY> with its value and </parameter> per argument, and </function> between the call tags.",
  headOf: (payload) => {
    const text = payload.trim();
    const [tag, name] = /^<function=([^>\n]+)>/.exec(text) ?? [];
    if (tag === undefined || name === undefined || !text.endsWith(FUNCTION_END)) {
      return "not_readable";
    }
    if (!isToolName(name)) return "missing_name";
    return { name, text: text.slice(tag.length, -FUNCTION_END.length) };
  },
  opening: /^<parameter=([^>\n]+)>/,
  keyOf: (key) => key,
  close: "</parameter>",
  next: /\s*(?:<parameter=[^>\n]+>|$)/y,
  inner: /<parameter=([^<>\n]+)>/g,
  argsOf: (written, schema) =>
    readValues(written, schema, (value) => value.replace(/^\n/, "").replace(/\n$/, "")),
});
