/**
 * gpt-oss: the Harmony format, where the model writes messages in channels and a call is a message to a function.
 * Source: openai-harmony 0.0.8 and https://cookbook.openai.com/articles/openai-harmony.
 */

import { writeExactJson } from "../../util/exactJson.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import { createHarmonyParser, HARMONY } from "../parsing/harmonyTurns.ts";
import { control, type Piece } from "../pieces.ts";
import type {
  AssistantMessage,
  InitialMessage,
  ToolDeclaration,
  ToolMessage,
} from "../renderer.ts";
import { declareTools } from "./harmonyTools.ts";
import { lastAnswerIndex, splitSystem } from "./turns.ts";

const START = control(HARMONY.start);
const CHANNEL = control(HARMONY.channel);
const CONSTRAIN = control(HARMONY.constrain);
const MESSAGE = control(HARMONY.message);
const END = control(HARMONY.end);
const CALL = control(HARMONY.call);

const DEFAULT_EFFORT = "medium";

export function gptOss({ effort, retention, date, isBare = false }: FormatOptions): ChatFormat {
  const level = effort ?? DEFAULT_EFFORT;
  return {
    id: `gpt-oss/${isBare ? "bare" : level}`,
    ends: [HARMONY.return, HARMONY.call],
    pastEnd: HARMONY.end,
    renderPrompt: (messages, tools) => {
      const [system, rest] = splitSystem(messages);
      const lastAnswer = lastAnswerIndex(rest);
      return [
        ...(isBare ? [] : systemBlock(level, date, tools.length > 0)),
        ...developerMessage(system ?? "", tools),
        ...rest.flatMap((message, i) =>
          renderMessage(message, retention === "all" || i > lastAnswer),
        ),
        ...[START, "assistant"],
      ];
    },
    renderFollowUps: (followUps) => [
      ...followUps.flatMap((message) => renderMessage(message, true)),
      ...[START, "assistant"],
    ],
    closeTurn: (_turn, _text, last) => (last === HARMONY.end ? [] : [END]),
    createParser: createHarmonyParser,
  };
}

function systemBlock(effort: string, date: string, hasTools: boolean): readonly Piece[] {
  return [
    ...[START, "system", MESSAGE],
    "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n",
    `Current date: ${date}\n\nReasoning: ${effort}\n\n`,
    "# Valid channels: analysis, commentary, final. Channel must be included for every message.",
    hasTools ? "\nCalls to these tools must go to the commentary channel: 'functions'." : "",
    END,
  ];
}

function developerMessage(system: string, tools: readonly ToolDeclaration[]): readonly Piece[] {
  const sections = [
    ...(system === "" ? [] : [`# Instructions\n\n${system}`]),
    ...(tools.length === 0 ? [] : [declareTools(tools)]),
  ];
  return sections.length === 0 ? [] : [START, "developer", MESSAGE, sections.join("\n\n"), END];
}

function renderMessage(message: InitialMessage, showsReasoning: boolean): readonly Piece[] {
  switch (message.role) {
    case "system":
      return developerMessage(message.content, []);
    case "user":
      return [START, "user", MESSAGE, message.content, END];
    case "tool":
      return resultMessage(message);
    case "assistant":
      return assistantTurn(message, showsReasoning);
  }
}

function resultMessage({ name, content }: Pick<ToolMessage, "name" | "content">): readonly Piece[] {
  const header = [START, `functions.${name} to=assistant`, CHANNEL, "commentary", MESSAGE];
  return [...header, content, END];
}

function assistantTurn(
  { content, reasoning, calls }: AssistantMessage,
  showsReasoning: boolean,
): readonly Piece[] {
  const say = (channel: string, text: string): readonly Piece[] => [
    ...[START, "assistant", CHANNEL, channel, MESSAGE, text, END],
  ];
  const textChannel = calls.length === 0 ? "final" : "commentary";
  return [
    ...(showsReasoning && reasoning !== null ? say("analysis", reasoning) : []),
    ...(content === "" && calls.length > 0 ? [] : say(textChannel, content)),
    ...calls.flatMap(({ name, args }) => [
      ...[START, `assistant to=functions.${name}`, CHANNEL, "commentary ", CONSTRAIN, "json"],
      ...[MESSAGE, writeExactJson(args, "spaced"), CALL],
    ]),
  ];
}
