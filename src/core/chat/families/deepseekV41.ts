/**
 * DeepSeek V4.1: the effort as a number before the system text, tools declared as JSON after it, calls as tags, results
 * in user turns. Source: `deepseek_v4_1.py` of tinker-cookbook 0.6.1.
 */

import {
  type ExactJson,
  parseExactJson,
  pythonNumbers,
  writeExactJson,
} from "../../util/exactJson.ts";
import { inCallOrder } from "../callOrder.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import type { CallSyntax } from "../parsing/callFormats.ts";
import { taggedCalls } from "../parsing/taggedCalls.ts";
import { control, type Piece } from "../pieces.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../renderer.ts";
import { ASSISTANT, BEGIN, END, turnOpening, USER } from "./deepseekTurns.ts";
import { splitSystem, THINK, turnReading } from "./turns.ts";

const SYSTEM = control("<｜System｜>");
/** The token at the start of every tag name. */
const DSML = "｜DSML｜";
const TAG = control(DSML);

const EFFORTS: Readonly<Record<string, number>> = { low: 50, high: 75, max: 100 };

export function deepseekV41({ thinking, effort, retention }: FormatOptions): ChatFormat {
  const effortName = effort ?? "high";
  const opening = turnOpening(thinking);
  const effortLine = thinking
    ? `Reasoning Effort: ${EFFORTS[effortName] ?? effortName} (range 1-100, the higher the value, the more thorough the reasoning)\n\n`
    : "";
  return {
    id: `deepseek-v4.1/${thinking ? effortName : "plain"}`,
    renderPrompt: (messages, tools) => {
      const [system, rest] = splitSystem(messages);
      const last = rest.findLastIndex(({ role }) => role !== "assistant");
      const keepsAll = retention === "all" || tools.length > 0;
      const turns = inCallOrder(rest).flatMap((message, i, all) => {
        switch (message.role) {
          case "assistant":
            return assistantTurn(message, thinking && (keepsAll || i > last));
          case "system":
            return [SYSTEM, message.content];
          default:
            return [isUsers(all[i - 1]) ? "\n\n" : USER, usersText(message)];
        }
      });
      return [
        ...(system !== null || thinking || tools.length > 0 ? [BEGIN, SYSTEM] : [BEGIN]),
        ...[effortLine, system ?? "", ...(tools.length > 0 ? toolPieces(tools) : [])],
        ...[...turns, ...opening],
      ];
    },
    renderFollowUps: (followUps) => [USER, followUps.map(usersText).join("\n\n"), ...opening],
    ...turnReading({ end: END, calls: CALLS, startsThinking: thinking }),
  };
}

/** Adjacent user messages and results share one turn. */
function isUsers(message: InitialMessage | undefined): boolean {
  return message?.role === "user" || message?.role === "tool";
}

function usersText({ role, content }: { readonly role: string; readonly content: string }): string {
  return role === "tool" ? `<tool_result>${content}</tool_result>` : content;
}

function assistantTurn(
  { content, reasoning, calls }: AssistantMessage,
  showsReasoning: boolean,
): readonly Piece[] {
  const invocations = calls.flatMap(({ name, args }) => [
    ...["\n<", TAG, ` invoke name="${name}">\n`],
    ...Object.entries(args).flatMap(([key, value], i) => [
      ...[i === 0 ? "<" : "\n<", TAG, ` parameter name="${key}" ${valueText(value)}</`],
      ...[TAG, " parameter>"],
    ]),
    ...["\n</", TAG, " invoke>"],
  ]);
  return [
    ...[ASSISTANT, ...(showsReasoning ? [THINK.open, reasoning ?? ""] : []), THINK.close, content],
    ...(calls.length === 0
      ? []
      : ["\n\n<", TAG, " calls>", ...invocations, "\n</", TAG, " calls>"]),
    END,
  ];
}

/** The rest of a parameter's opening tag, then its value. */
function valueText(value: ExactJson): string {
  return typeof value === "string"
    ? `string="true">${value}`
    : `string="false">${writeExactJson(pythonNumbers(value), "spaced")}`;
}

function toolPieces(tools: readonly ToolDeclaration[]): readonly Piece[] {
  return [
    ...LESSON,
    ...tools.map((tool) => `${writeExactJson({ ...tool.function }, "spaced")}\n`),
    "\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.\n",
  ];
}

/** Instructions for calling tools, with the format's own tokens where the text names them. */
const LESSON: readonly Piece[] = `

## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<${DSML} calls>" block like the following:

<${DSML} calls>
<${DSML} invoke name="$TOOL_NAME">
<${DSML} parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</${DSML} parameter>
...
</${DSML} invoke>
<${DSML} invoke name="$TOOL_NAME2">
...
</${DSML} invoke>
</${DSML} calls>

String parameters should be specified as is and set \`string="true"\`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set \`string="false"\`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

`
  .split(new RegExp(`(${DSML}|</?think>)`))
  .map((text, i) => (i % 2 === 0 ? text : control(text)));

const PARAMETER = `<${DSML} parameter`;
const MARKERS = { open: `<${DSML} invoke`, close: `</${DSML} invoke>` };

/** An `invoke` tag with one `parameter` tag per argument; its `string` attribute says whether the value is a string. */
const CALLS: CallSyntax = {
  ...taggedCalls(MARKERS, {
    expected:
      'Write one block of calls, in it an invoke tag with the name of the tool per call, in that one parameter tag per argument with name="…" and string="true", or string="false" for a value in JSON, and close every tag.',
    headOf: (payload) => {
      const [tag, name] = /^ name="([^"\n]*)">/.exec(payload) ?? [];
      if (tag === undefined || name === undefined) return "not_readable";
      return name.trim() === "" ? "missing_name" : { name, text: payload.slice(tag.length) };
    },
    opening: new RegExp(`^${PARAMETER} name="([^"\\n]*)" string="(true|false)">`),
    keyOf: (key, known) => (known.has(key) ? null : key),
    close: `</${DSML} parameter>`,
    next: new RegExp(`\\s*(?:${PARAMETER}|$)`, "y"),
    inner: new RegExp(`${PARAMETER} name="([^"<\\n]*)"`, "g"),
    argsOf: (written) => {
      const args = Array.from(written, ([key, { value, opening }]) => {
        const isText = opening[2] === "true";
        return [key, isText ? value : parseExactJson(value)] as const;
      });
      return Object.fromEntries(args);
    },
  }),
  section: { open: `<${DSML} calls>`, close: `</${DSML} calls>`, isStrict: false, endsTurn: true },
};
