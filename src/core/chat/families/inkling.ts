/**
 * Inkling and Inkling-Small: each message has an author and a content kind, and the effort is a number.
 * Source: tml-renderers 0.2.1, format tml_v0, and the tml_v0 renderer of tinker-cookbook 0.6.1.
 */

import { pythonNumbers, sortKeys, writeExactJson } from "../../util/exactJson.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import {
  createInklingParser,
  INKLING_ENDS,
  INKLING_KINDS,
  INKLING_ROLES,
} from "../parsing/inklingTurns.ts";
import { control, type Piece } from "../pieces.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../renderer.ts";

const END = control(INKLING_ENDS.message);
const END_SAMPLING = control(INKLING_ENDS.sampling);

const EFFORTS: Readonly<Record<string, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.7,
  high: 0.9,
  xhigh: 0.99,
};
const DEFAULT_EFFORT = "high";
const NO_EFFORT = 0;

export function inkling({ thinking, effort }: FormatOptions): ChatFormat {
  const word = effort ?? DEFAULT_EFFORT;
  const level = String(thinking ? (EFFORTS[word] ?? Number(word)) : NO_EFFORT);
  return {
    id: `inkling/${level}`,
    ends: [END_SAMPLING.control],
    renderPrompt: (messages, tools) => {
      const start = messages.findIndex(({ role }) => role !== "system");
      const systemEnd = start < 0 ? messages.length : start;
      return [
        ...messages.slice(0, systemEnd).flatMap(renderMessage),
        ...toolMessage(tools),
        ...say("system", `Thinking effort level: ${level}`),
        ...messages.slice(systemEnd).flatMap(renderMessage),
      ];
    },
    // No opening: the model samples the role token of each of its messages.
    renderFollowUps: (followUps) => followUps.flatMap(renderMessage),
    closeTurn: (_turn, text, last) =>
      last === END.control || text === "" ? [END_SAMPLING] : [END, END_SAMPLING],
    createParser: createInklingParser,
  };
}

function message(
  role: keyof typeof INKLING_ROLES,
  kind: keyof typeof INKLING_KINDS,
  text: string,
  author = "",
): readonly Piece[] {
  return [control(INKLING_ROLES[role]), author, control(INKLING_KINDS[kind]), text, END];
}

function say(role: keyof typeof INKLING_ROLES, text: string, author?: string): readonly Piece[] {
  return message(role, "text", text, author);
}

function toolMessage(tools: readonly ToolDeclaration[]): readonly Piece[] {
  if (tools.length === 0) return [];
  const declared = tools.map(({ type, function: declaration }) => ({ ...declaration, type }));
  return message("system", "xml", writeExactJson(sortKeys(declared)), "tool_declare");
}

function renderMessage(said: InitialMessage): readonly Piece[] {
  if (said.role === "assistant") return modelTurn(said);
  return said.role === "tool" ? say("tool", said.content, said.name) : say(said.role, said.content);
}

/** Keeps all reasoning: the format never drops what it has shown. */
function modelTurn({ content, reasoning, calls }: AssistantMessage): readonly Piece[] {
  const isEmpty = content === "" && (calls.length > 0 || reasoning !== null);
  return [
    ...(reasoning === null ? [] : message("model", "thinking", reasoning)),
    ...(isEmpty ? [] : say("model", content)),
    ...calls.flatMap(({ name, args }) =>
      message("model", "call", writeExactJson({ name, args: pythonNumbers(sortKeys(args)) }), name),
    ),
    END_SAMPLING,
  ];
}
