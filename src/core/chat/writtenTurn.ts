/** Writes a given turn in the model's own format, as it looks in the model's training data. */

import { sortKeys, writeExactJson } from "../util/exactJson.ts";
import type { Chat } from "./chat.ts";
import type { AssistantMessage, ToolCall, ToolDeclaration } from "./renderer.ts";

type Call = Pick<ToolCall, "name" | "args">;

interface WrittenCallOptions {
  readonly chat: Pick<Chat, "renderer" | "tokenizer">;
  /** The tools whose schemas type the arguments. */
  readonly declared: readonly ToolDeclaration[];
  readonly call: Call;
  readonly reasoning: string | null;
}

export interface WrittenCall {
  readonly turn: readonly number[];
  /** True if the turn parses back to the given call. */
  readonly isRead: boolean;
}

/** @throws AppError `chat-render` */
export function writtenCall({ chat, declared, call, reasoning }: WrittenCallOptions): WrittenCall {
  const isRead = (turn: readonly number[]): boolean => {
    const { calls } = chat.renderer.parse(turn, declared);
    return calls.length === 1 && calls.every((read) => isSameCall(read, call));
  };
  const rendered = chat.renderer.writeTurn(callingTurn(call, reasoning));
  const turn = [rendered, hermesTurn(chat, call)].find(isRead) ?? rendered;
  return { turn, isRead: isRead(turn) };
}

/** A turn of plain text without a call, as the model would sample it. @throws AppError `chat-render` */
export function writtenText(
  { renderer, tokenizer }: Pick<Chat, "renderer" | "tokenizer">,
  text: string,
): readonly number[] {
  // A prompt can open the reasoning, so the turn must close it before its text.
  const turn = renderer.writeTurn({ role: "assistant", content: text, reasoning: null, calls: [] });
  if (renderer.parse(turn).content === text.trim()) return turn;
  const [stopText = ""] = renderer.stopTexts;
  return [...tokenizer.encodeText(text + stopText), ...renderer.stopIds.slice(0, 1)];
}

function isSameCall(one: Call, other: Call): boolean {
  const [first, second] = [one, other].map(({ args }) => writeExactJson(sortKeys(args)));
  return one.name === other.name && first === second;
}

/** For templates that omit the calls of given turns: one JSON object between Hermes markers. */
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

/** The example's call id, from which some formats derive the tool's name. */
export function exampleCallId(name: string): string {
  return `functions.${name}:0`;
}

/** A turn with only a call, plus the reasoning before it. */
export function callingTurn({ name, args }: Call, reasoning: string | null): AssistantMessage {
  const calls = [{ id: exampleCallId(name), name, args }];
  return { role: "assistant", content: "", reasoning, calls };
}
