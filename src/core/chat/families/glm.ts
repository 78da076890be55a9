/**
 * GLM 5.3: no end-of-turn token; the model samples the role token of the next turn instead. The effort has its own system turn.
 * Source: the chat template of zai-org/GLM-5.3.
 */

import { pythonNumbers, writeExactJson } from "../../util/exactJson.ts";
import { strip } from "../../util/strip.ts";
import { inCallOrder } from "../callOrder.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import {
  type CallSyntax,
  failedCall,
  type MarkerPair,
  readToolCall,
} from "../parsing/callFormats.ts";
import { readValues } from "../parsing/readValue.ts";
import { taggedCalls } from "../parsing/taggedCalls.ts";
import { createTurnParser } from "../parsing/turnParser.ts";
import { control, markersOf, type Piece } from "../pieces.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../renderer.ts";
import { lastUserIndex, THINK } from "./turns.ts";
import { CALL, RESULT } from "./xmlChatml.ts";

const BEGIN = [control("[gMASK]"), control("<sop>")];
const SYSTEM = control("<|system|>");
const USER = control("<|user|>");
const ASSISTANT = control("<|assistant|>");
const OBSERVATION = control("<|observation|>");
const END_OF_TEXT = control("<|endoftext|>");
const KEY: MarkerPair = { open: "<arg_key>", close: "</arg_key>" };
const VALUE: MarkerPair = { open: "<arg_value>", close: "</arg_value>" };

const EFFORTS: Readonly<Record<string, string>> = { low: "Low", high: "High", max: "Max" };
const DEFAULT_EFFORT = "max";

export function glm53(options: FormatOptions): ChatFormat {
  return createFormat("glm-5.3", options);
}

export function glm53Flash(options: FormatOptions): ChatFormat {
  return createFormat("glm-5.3-flash", options);
}

function createFormat(name: string, { effort: asked, retention }: FormatOptions): ChatFormat {
  const effort = asked ?? DEFAULT_EFFORT;
  const ends = [USER, OBSERVATION, END_OF_TEXT].map((end) => end.control);
  const opening: readonly Piece[] = [ASSISTANT, THINK.open];
  return {
    id: `${name}/${effort}`,
    ends,
    renderPrompt: (messages, tools) => {
      const last = retention === "all" ? -1 : lastUserIndex(messages);
      return [
        ...BEGIN,
        ...[SYSTEM, `Reasoning Effort: ${EFFORTS[effort] ?? effort}`],
        ...toolTurn(tools),
        ...inCallOrder(messages).flatMap((message, i, all) =>
          message.role === "assistant"
            ? assistantTurn(message, i > last)
            : plainTurn(message, sharedRole(all[i - 1])),
        ),
        ...opening,
      ];
    },
    renderFollowUps: (followUps, end) => [
      ...followUps.flatMap((message, i, all) =>
        plainTurn(message, i === 0 ? end : sharedRole(all[i - 1])),
      ),
      ...opening,
    ],
    closeTurn: ({ unclosedThink }) => (unclosedThink ? [THINK.close, END_OF_TEXT] : []),
    createParser: (tokens) =>
      createTurnParser({
        ...tokens,
        thinking: markersOf(THINK),
        calls: CALLS,
        ends,
        startsThinking: true,
      }),
  };
}

/** The role token that consecutive results share, so it is not repeated. */
function sharedRole(before: Pick<InitialMessage, "role"> | undefined): string | null {
  return before?.role === "tool" ? OBSERVATION.control : null;
}

function toolTurn(tools: readonly ToolDeclaration[]): readonly Piece[] {
  if (tools.length === 0) return [];
  const declared = tools.map((tool) => `${writeExactJson({ ...tool.function }, "spaced")}\n`);
  return [
    SYSTEM,
    "\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n",
    "You are provided with function signatures within <tools></tools> XML tags:\n",
    `<tools>\n${declared.join("")}</tools>\n\n`,
    "For each function call, output the function name and arguments within the following XML format:\n",
    ...[CALL.open, "{function-name}"],
    ...[...argument("{arg-key-1}", "{arg-value-1}"), ...argument("{arg-key-2}", "{arg-value-2}")],
    ...["...", CALL.close],
  ];
}

const ROLES = { system: SYSTEM, user: USER, tool: OBSERVATION } as const;

/** `written` is the role token that is already in place. */
function plainTurn(
  { role, content }: Exclude<InitialMessage, AssistantMessage>,
  written: string | null,
): readonly Piece[] {
  const opening = ROLES[role].control === written ? [] : [ROLES[role]];
  const body = role === "tool" ? [RESULT.open, content, RESULT.close] : [content];
  return [...opening, ...body];
}

function assistantTurn(
  { content, reasoning, calls }: AssistantMessage,
  showsReasoning: boolean,
): readonly Piece[] {
  const thought = showsReasoning ? (reasoning ?? "") : "";
  return [
    ...[ASSISTANT, THINK.open, thought, THINK.close, strip(content)],
    ...calls.flatMap(({ name, args }) => [
      ...[CALL.open, name],
      ...Object.entries(args).flatMap(([key, value]) =>
        argument(
          key,
          typeof value === "string" ? value : writeExactJson(pythonNumbers(value), "spaced"),
        ),
      ),
      CALL.close,
    ]),
  ];
}

function argument(key: string, value: string): readonly Piece[] {
  return [
    ...[control(KEY.open), key, control(KEY.close)],
    ...[control(VALUE.open), value, control(VALUE.close)],
  ];
}

/** The tool's name, then a tagged key and value per argument, typed by the tool's schema. */
const TAGGED_CALLS = taggedCalls(markersOf(CALL), {
  expected:
    "Write the name of the tool between the tool_call tags, and behind it, for each argument, its key between arg_key tags and its value between arg_value tags.",
  headOf: (payload) => {
    const text = payload.trim();
    const [named = ""] = /^[^<\n]*/.exec(text) ?? [];
    const name = named.trim();
    return name === "" ? "not_readable" : { name, text: text.slice(named.length) };
  },
  opening: new RegExp(`^${KEY.open}([^<]*)${KEY.close}\\s*${VALUE.open}`),
  // Trimmed here, because a regex that skips blanks around the key would backtrack over every way to split them.
  keyOf: (captured) => captured.trim() || null,
  close: VALUE.close,
  next: new RegExp(`\\s*(?:${KEY.open}|$)`, "y"),
  inner: new RegExp(`${KEY.open}([^<]*)${KEY.close}`, "g"),
  argsOf: readValues,
});

/** Reads tagged calls and also Hermes-style JSON. */
const CALLS: CallSyntax = {
  ...TAGGED_CALLS,
  read: (payload, raw, tools) => {
    const text = payload.trim();
    if (!text.startsWith("{")) return TAGGED_CALLS.read(text, raw, tools);
    const reading = readToolCall(text, raw);
    if (reading.kind === "call") return reading;
    return failedCall("not_readable", raw, TAGGED_CALLS.expected);
  },
};
