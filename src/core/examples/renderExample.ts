/** Converts a conversation to tokens of the model, in the same streams as a rollout. */

import type { Chat } from "../chat/chat.ts";
import type { AssistantMessage, FollowUp, InitialMessage, ParsedTurn } from "../chat/renderer.ts";
import { renderAside } from "../chat/tokenizer.ts";
import { AppError } from "../errors.ts";
import { type TurnRecord, turnRecord } from "../rollout/episodeRecord.ts";
import { TokenStreams } from "../rollout/tokenStreams.ts";
import { sortKeys, writeExactJson } from "../util/exactJson.ts";
import type { ChatExample, Example } from "./example.ts";
import { exampleRecord, givenOutcome, splitTurns } from "./exampleRecord.ts";
import { REASONING_TAG, withReasoning } from "./reasoningInContent.ts";

export interface RenderOptions {
  readonly chat: Chat;
  readonly trainOn: "all_turns" | "last_turn";
  /** False removes the reasoning of all turns. */
  readonly trainThinking: boolean;
}

/**
 * @throws AppError `example-unwritable` when the format cannot write a turn so that it is parsed back to the same content,
 * `chat-render`, `chat-bridge`
 */
export async function renderExample(
  { messages, tools }: Pick<ChatExample, "messages" | "tools">,
  options: RenderOptions,
): Promise<Pick<Example, "streams" | "record">> {
  const { chat, trainOn, trainThinking } = options;
  const { opening, turns } = splitTurns(messages, trainThinking);
  const first = { messages: opening, tools };
  const { renderer, tokenizer } = chat;
  const tokens = await renderAside(tokenizer, () =>
    renderer.renderInitial(first.messages, first.tools),
  );
  const streams = new TokenStreams(chat, { first, tokens });
  const records: TurnRecord[] = [];
  for (const [i, { message: given, answers }] of turns.entries()) {
    const isLast = i === turns.length - 1;
    const { message, ids, parsed } = await renderAside(tokenizer, () =>
      writtenTurn(given, tools, options),
    );
    requireRead(chat, parsed, message, i);
    const isTrained = message.isTrained !== false && (isLast || trainOn === "all_turns");
    streams.current.addGivenTurn(ids, isTrained);
    const text = tokenizer.decode(ids);
    records.push(turnRecord({ ids, text, parsed }, givenOutcome(answers, streams.index)));
    if (!isLast) await streams.continue(ids, () => parsed, answers.map(followUpOf));
  }
  return { streams: streams.all, record: exampleRecord(opening, tools, records) };
}

/** If neither format nor tokenizer knows reasoning, reasoning in the content stays text: the model is to learn the tags. */
function writtenTurn(
  given: AssistantMessage,
  tools: ChatExample["tools"],
  { chat: { renderer, tokenizer }, trainThinking }: RenderOptions,
) {
  const write = (message: AssistantMessage) => {
    const ids = renderer.writeTurn(message);
    return { message, ids, parsed: renderer.parse(ids, tools) };
  };
  const own = withReasoning(given) ?? given;
  const written = write(trainThinking ? own : { ...own, reasoning: null });
  const isDropped = written.message.reasoning !== null && written.parsed.reasoning === null;
  const isKnown = tokenizer.addedTokens.some(({ text }) => text === REASONING_TAG);
  return isDropped && !isKnown && own !== given ? write(given) : written;
}

function followUpOf(message: InitialMessage): FollowUp {
  return message.role === "tool" ? message : { role: "user", content: message.content };
}

/** Rejects turns that a run would parse differently, because they must not be trained on. */
function requireRead(
  { renderer }: Chat,
  { calls, content, errors }: ParsedTurn,
  message: AssistantMessage,
  turn: number,
): void {
  const callsOf = (own: readonly Pick<AssistantMessage["calls"][number], "name" | "args">[]) =>
    own.map(({ name, args }) => `${name} ${writeExactJson(sortKeys(args))}`).join("\n");
  const isRead =
    errors.length === 0 &&
    callsOf(calls) === callsOf(message.calls) &&
    content.trim() === message.content.trim();
  if (isRead) return;
  throw new AppError(
    "example-unwritable",
    `The chat format ${renderer.id} cannot write turn ${turn + 1} of the model so that a run would read the same text and calls. Remove this conversation, or use another model.`,
  );
}
