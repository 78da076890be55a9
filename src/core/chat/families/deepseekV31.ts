/**
 * DeepSeek V3.1: no line breaks between turns; dedicated tokens around calls and results. Source: the chat template of
 * deepseek-ai/DeepSeek-V3.1. The template does not declare tools, so these follow the model card as implemented in
 * tinker-cookbook (`deepseek_v3.py`).
 */

import { writeExactJson } from "../../util/exactJson.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import { type CallSyntax, failedCall, readArguments } from "../parsing/callFormats.ts";
import { control, type Piece } from "../pieces.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../renderer.ts";
import { ASSISTANT, BEGIN, END, turnOpening, USER } from "./deepseekTurns.ts";
import { THINK, turnReading } from "./turns.ts";

const CALLS = { open: control("<｜tool▁calls▁begin｜>"), close: control("<｜tool▁calls▁end｜>") };
const CALL = { open: control("<｜tool▁call▁begin｜>"), close: control("<｜tool▁call▁end｜>") };
const SEPARATOR = control("<｜tool▁sep｜>");
const RESULT = {
  open: control("<｜tool▁output▁begin｜>"),
  close: control("<｜tool▁output▁end｜>"),
};

/**
 * The model continues directly after results, without a new turn opening or reasoning. It was trained to call tools
 * only without reasoning, so `thinking` is for conversations without tools.
 */
export function deepseekV31({ thinking }: FormatOptions): ChatFormat {
  const opening = turnOpening(thinking);
  return {
    id: `deepseek-v3.1/${thinking ? "thinking" : "plain"}`,
    renderPrompt: (messages, tools) => [
      ...systemPieces(messages, tools),
      ...messages.flatMap((message, i) => messagePieces(message, messages[i - 1])),
      ...(messages.at(-1)?.role === "tool" ? [] : opening),
    ],
    renderTurn: (message) => [
      ...(thinking ? [message.reasoning ?? "", THINK.close] : []),
      ...assistantPieces(message),
    ],
    renderFollowUps: (followUps) => [
      ...followUps.flatMap((message) => messagePieces(message)),
      ...(followUps.at(-1)?.role === "tool" ? [] : opening),
    ],
    ...turnReading({ end: END, calls: CALL_SYNTAX, startsThinking: thinking }),
  };
}

/** All system texts come first, then the tools. */
function systemPieces(
  messages: readonly InitialMessage[],
  tools: readonly ToolDeclaration[],
): readonly Piece[] {
  const texts = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const system = [BEGIN, texts.join("\n\n")];
  if (tools.length === 0) return system;
  return [
    ...[...system, "\n\n## Tools\nYou have access to the following tools:\n"],
    ...tools.map(
      ({ function: { name, description, parameters } }) =>
        `\n### ${name}\nDescription: ${description}\n\nParameters: ${toAscii(writeExactJson(parameters, "spaced"))}`,
    ),
    "\n\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n",
    ...[CALLS.open, CALL.open, "tool_call_name", SEPARATOR, "tool_call_arguments"],
    ...[CALL.close, CALLS.close],
    `

Where:
- \`tool_call_name\` must be an exact match to one of the available tools
- \`tool_call_arguments\` must be valid JSON that strictly follows the tool's Parameters Schema
- For multiple tool calls, chain them directly without separators or spaces`,
  ];
}

/** JSON as Python writes it by default: non-ASCII characters as `\uXXXX`. */
function toAscii(json: string): string {
  return json.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function messagePieces(message: InitialMessage, before?: InitialMessage): readonly Piece[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [USER, message.content];
    case "tool":
      return resultPieces(message.content);
    case "assistant": {
      const continues = before?.role === "tool" || before?.role === "assistant";
      return [...(continues ? [] : [ASSISTANT, THINK.close]), ...assistantPieces(message)];
    }
  }
}

/** Omits the reasoning, which the template drops from all earlier turns. */
function assistantPieces({ content, calls }: AssistantMessage): readonly Piece[] {
  const written = calls.flatMap(({ name, args }) => [
    ...[CALL.open, name, SEPARATOR, writeExactJson(args, "spaced"), CALL.close],
  ]);
  return [content, ...(calls.length > 0 ? [CALLS.open, ...written, CALLS.close] : []), END];
}

function resultPieces(content: string): readonly Piece[] {
  return [RESULT.open, content, RESULT.close];
}

const EXPECTED =
  "Write the calls in one section, and each call between its own tokens: the name of the tool, the separator token and one JSON object with the arguments.";

const CALL_SYNTAX: CallSyntax = {
  open: CALL.open.control,
  close: CALL.close.control,
  section: {
    open: CALLS.open.control,
    close: CALLS.close.control,
    isStrict: false,
    endsTurn: false,
  },
  expected: EXPECTED,
  read: (payload, raw) => {
    const at = payload.indexOf(SEPARATOR.control);
    const name = payload.slice(0, Math.max(at, 0)).trim();
    if (at < 0 || name === "") {
      return failedCall(at < 0 ? "not_readable" : "missing_name", raw, EXPECTED);
    }
    const text = payload.slice(at + SEPARATOR.control.length);
    return readArguments(text, { name, raw, isClosed: true, expected: EXPECTED });
  },
};
