/**
 * Kimi K2 to K2.6: a header in each turn, and results in system turns that name their call by id.
 * Source: the chat templates of moonshotai/Kimi-K2-Instruct, Kimi-K2-Thinking, Kimi-K2.5 and Kimi-K2.6.
 */

import { sortKeys, writeExactJson } from "../../util/exactJson.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import { type CallSyntax, failedCall, readArguments } from "../parsing/callFormats.ts";
import { control, type Piece } from "../pieces.ts";
import type {
  AssistantMessage,
  InitialMessage,
  ToolDeclaration,
  ToolMessage,
} from "../renderer.ts";
import { KIMI_IMAGES } from "./kimiImages.ts";
import { writeTypeScript } from "./kimiTools.ts";
import { lastAnswerIndex, THINK, turnReading } from "./turns.ts";

/** Separates a call's id from its arguments. */
const ARGUMENTS = "<|tool_call_argument_begin|>";

const EXPECTED =
  "Open the section of the calls, write each call as functions.NAME:NUMBER and one JSON object with the arguments between its markers, and close the section.";

const kimiCalls = {
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

/** The text before the last colon, minus the prefix; a model may omit either. */
function nameOf(id: string): string {
  const colon = id.lastIndexOf(":");
  return (colon < 0 ? id : id.slice(0, colon)).replace(/^functions\./, "");
}

const END = control("<|im_end|>");
const MIDDLE = control("<|im_middle|>");
const SYSTEM = control("<|im_system|>");
const USER = control("<|im_user|>");
const ASSISTANT = control("<|im_assistant|>");
const CALL = { open: control(kimiCalls.open), close: control(kimiCalls.close) };
const SECTION = {
  open: control(kimiCalls.section.open),
  close: control(kimiCalls.section.close),
};

/** Differences between the releases. */
interface Release {
  readonly name: string;
  /** Printed if the conversation has no system text. */
  readonly defaultSystem: string | null;
  readonly thinks: boolean;
  /** True if the prompt opens the reasoning (and closes it when thinking is off); false if the model opens it. */
  readonly opensThinking: boolean;
  readonly declaresTypeScript: boolean;
  readonly readsImages: boolean;
  /** The header of a result; null = the tool's name. */
  readonly resultHeader: string | null;
  /** Separates the call's id from the text of its result. */
  readonly resultBreak: string;
  /** Numbers the calls of each earlier turn from zero, ignoring their ids. */
  readonly numbersCallsAnew: boolean;
}

const K2_THINKING: Release = {
  name: "kimi-k2-thinking",
  defaultSystem: "You are Kimi, an AI assistant created by Moonshot AI.",
  thinks: true,
  opensThinking: false,
  declaresTypeScript: false,
  readsImages: false,
  resultHeader: null,
  resultBreak: "\n",
  numbersCallsAnew: false,
};
/** This template writes the line break after the id as the two characters `\n`. */
const K2: Release = {
  ...K2_THINKING,
  name: "kimi-k2",
  defaultSystem: "You are a helpful assistant",
  thinks: false,
  resultHeader: "tool",
  resultBreak: "\\n",
  numbersCallsAnew: true,
};
const K25: Release = {
  ...K2_THINKING,
  name: "kimi-k2.5",
  defaultSystem: null,
  opensThinking: true,
  declaresTypeScript: true,
  readsImages: true,
};
const K26: Release = { ...K25, name: "kimi-k2.6" };

export function kimiK2(options: FormatOptions): ChatFormat {
  return createFormat(K2, options);
}

export function kimiK2Thinking(options: FormatOptions): ChatFormat {
  return createFormat(K2_THINKING, options);
}

export function kimiK25(options: FormatOptions): ChatFormat {
  return createFormat(K25, options);
}

export function kimiK26(options: FormatOptions): ChatFormat {
  return createFormat(K26, options);
}

function createFormat(release: Release, { thinking, retention }: FormatOptions): ChatFormat {
  const { name, thinks, opensThinking, defaultSystem } = release;
  const opening: readonly Piece[] = [
    ...[ASSISTANT, "assistant", MIDDLE],
    ...(opensThinking ? [THINK.open, ...(thinking ? [] : [THINK.close])] : []),
  ];
  return {
    id: `${name}/${thinks && thinking ? "thinking" : "plain"}`,
    images: release.readsImages ? KIMI_IMAGES : undefined,
    renderPrompt: (messages, tools) => {
      const answered = retention === "all" ? -1 : lastAnswerIndex(messages);
      const hasSystem = messages[0]?.role === "system" || defaultSystem === null;
      return [
        ...toolTurn(tools, release),
        ...(hasSystem ? [] : turn(SYSTEM, "system", defaultSystem)),
        ...messages.flatMap((message, i) =>
          message.role === "assistant"
            ? assistantTurn(message, release, i > answered)
            : plainTurn(message, release),
        ),
        ...opening,
      ];
    },
    renderFollowUps: (followUps) => [
      ...followUps.flatMap((message) => plainTurn(message, release)),
      ...opening,
    ],
    ...turnReading({
      end: END,
      calls: kimiCalls,
      thinks,
      startsThinking: opensThinking && thinking,
    }),
  };
}

function turn(role: Piece, name: string, ...body: readonly Piece[]): readonly Piece[] {
  return [role, name, MIDDLE, ...body, END];
}

/** Keys are sorted, as the models' tokenizer sorts them. */
function toolTurn(
  tools: readonly ToolDeclaration[],
  { declaresTypeScript }: Release,
): readonly Piece[] {
  if (tools.length === 0) return [];
  const text = declaresTypeScript ? writeTypeScript(tools) : null;
  const json = sortKeys(tools.map((tool) => ({ ...tool })));
  return turn(SYSTEM, "tool_declare", text ?? writeExactJson(json));
}

function plainTurn(
  message: Exclude<InitialMessage, AssistantMessage>,
  release: Release,
): readonly Piece[] {
  if (message.role === "tool") return resultTurn(message, release);
  return turn(message.role === "user" ? USER : SYSTEM, message.role, message.content);
}

function resultTurn(
  { name, callId, content }: Pick<ToolMessage, "name" | "callId" | "content">,
  { resultHeader, resultBreak }: Release,
): readonly Piece[] {
  return turn(SYSTEM, resultHeader ?? name, `## Return of ${callId}${resultBreak}${content}`);
}

function assistantTurn(
  { content, reasoning, calls }: AssistantMessage,
  { thinks, numbersCallsAnew }: Release,
  showsReasoning: boolean,
): readonly Piece[] {
  const thought = showsReasoning ? (reasoning ?? "") : "";
  const written = calls.flatMap(({ id, name, args }, i) => [
    ...[CALL.open, numbersCallsAnew ? `functions.${name}:${i}` : id],
    ...[control(ARGUMENTS), writeExactJson(args, "spaced"), CALL.close],
  ]);
  return turn(
    ...[ASSISTANT, "assistant", ...(thinks ? [THINK.open, thought, THINK.close] : [])],
    content,
    ...(calls.length === 0 ? [] : [SECTION.open, ...written, SECTION.close]),
  );
}
