/** A turn of the model as its format writes one that was given: what the model was trained on. */

import { sortKeys, writeExactJson } from "../util/exactJson.ts";
import type { Chat } from "./chat.ts";
import type { FirstPrompt } from "./firstPrompt.ts";
import type { AssistantMessage, Renderer, ToolCall, ToolDeclaration } from "./renderer.ts";

type Call = Pick<ToolCall, "name" | "args">;

interface WrittenCallOptions {
  readonly chat: Pick<Chat, "renderer" | "tokenizer">;
  readonly first: FirstPrompt;
  /** Ids of `first` as rendered. */
  readonly tokens: readonly number[];
  /** The tools by which arguments are read. */
  readonly declared: readonly ToolDeclaration[];
  readonly call: Call;
  /** What the tool answers. */
  readonly result: string;
  readonly reasoning: string | null;
}

export interface WrittenCall {
  readonly turn: readonly number[];
  /** True when the turn reads as the call that was given. */
  readonly isRead: boolean;
}

/** @throws AppError `chat-render` */
export function writtenCall(options: WrittenCallOptions): WrittenCall {
  const { chat, declared, call } = options;
  const isRead = (turn: readonly number[]): boolean => {
    const { calls } = chat.renderer.parse(turn, declared);
    return calls.length === 1 && calls.every((read) => isSameCall(read, call));
  };
  const { turn: rendered } = exampleTurn({ ...options, renderer: chat.renderer });
  const turn = [rendered, hermesTurn(chat, call)].find(isRead) ?? rendered;
  return { turn, isRead: isRead(turn) };
}

/** A turn of text without a call, as the model samples it. */
export function writtenText(
  { renderer, tokenizer }: Pick<Chat, "renderer" | "tokenizer">,
  text: string,
): readonly number[] {
  const [stopText = ""] = renderer.stopTexts;
  return [...tokenizer.encodeText(text + stopText), ...renderer.stopIds.slice(0, 1)];
}

function isSameCall(one: Call, other: Call): boolean {
  const [first, second] = [one, other].map(({ args }) => writeExactJson(sortKeys(args)));
  return one.name === other.name && first === second;
}

/** For templates that leave calls of given turns out: one JSON object between the markers of Hermes. */
function hermesTurn(
  { renderer, tokenizer }: WrittenCallOptions["chat"],
  { name, args }: Call,
): readonly number[] {
  const marker = (text: string): readonly number[] => {
    const token = tokenizer.addedTokens.find((added) => added.text === text);
    return token === undefined ? tokenizer.encodeText(text) : [token.id];
  };
  const json = writeExactJson({ name, arguments: args }, "spaced");
  return [
    ...marker("<tool_call>"),
    ...tokenizer.encodeText(`\n${json}\n`),
    ...marker("</tool_call>"),
    ...renderer.stopIds.slice(0, 1),
  ];
}

interface ExampleTurnOptions {
  readonly renderer: Renderer;
  readonly first: FirstPrompt;
  /** Ids of `first` as rendered. */
  readonly tokens: readonly number[];
  readonly call: Pick<ToolCall, "name" | "args">;
  /** What the tool answers. */
  readonly result: string;
  readonly reasoning: string | null;
}

export interface ExampleTurn {
  readonly turn: readonly number[];
  /** What follows the turn, up to where the model's next one begins. */
  readonly rest: readonly number[];
}

/** The id of the call, from which some formats take the name of the tool. */
export function exampleCallId(name: string): string {
  return `functions.${name}:0`;
}

export function exampleTurn(options: ExampleTurnOptions): ExampleTurn {
  const { renderer, first, tokens, call, result, reasoning } = options;
  const { name, args } = call;
  const callId = exampleCallId(name);
  const calls = [{ id: callId, name, args }];
  const calling: AssistantMessage = { role: "assistant", content: "", reasoning, calls };
  const answered = { role: "tool", name, callId, content: result } as const;
  const whole = renderer.renderInitial([...first.messages, calling, answered], first.tools);
  let start = 0;
  while (start < tokens.length && tokens[start] === whole[start]) start += 1;
  const found = whole.findIndex((id, at) => at >= start && renderer.stopIds.includes(id));
  const end = found === -1 ? whole.length : found + 1;
  return { turn: whole.slice(start, end), rest: whole.slice(end) };
}
