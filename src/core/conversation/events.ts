/** Events of a conversation, what comes next, and the resulting token streams. */

import type { Chat } from "../chat/chat.ts";
import type { FirstPrompt } from "../chat/firstPrompt.ts";
import type { FollowUp, ToolCall } from "../chat/renderer.ts";
import { AppError } from "../errors.ts";
import { followUpsTo } from "../rollout/feedback.ts";
import type { ToolAnswer } from "../rollout/runCalls.ts";
import { TokenStreams } from "../rollout/tokenStreams.ts";
import type { ModelTurn } from "./modelTurn.ts";

/** Context of the model before its first turn. */
export interface OpeningContext {
  readonly first: FirstPrompt;
  readonly tokens: readonly number[];
}

/** Renders the user's first message, or is the context if something else begins the conversation. */
export type Opening = OpeningContext | ((message: string) => Promise<OpeningContext>);

export type ConversationEvent =
  | { readonly kind: "message"; readonly content: string }
  | { readonly kind: "turn"; readonly turn: ModelTurn }
  | {
      readonly kind: "answers";
      readonly by: "environment" | "person";
      readonly answers: readonly ToolAnswer[];
    };

/** A call and the environment's answer. */
export interface PlayedCall {
  readonly call: ToolCall;
  readonly answer: ToolAnswer;
}

/**
 * What comes next: a user message, a turn of the model, a choice between turns sampled in parallel, answers to calls, or nothing
 * because the environment has ended the episode.
 */
export type Next = "message" | "turn" | "choice" | "answers" | "nothing";

/** What comes next, as a sentence. */
export const NEXT_TEXTS: Readonly<Record<Next, string>> = {
  message: "your message comes next.",
  turn: "the model's turn comes next.",
  choice: "several turns were sampled; choose one of them first.",
  answers: "the model's calls wait for answers.",
  nothing: "the environment has ended its episode; undo a turn, or start over.",
};

/** What comes next after the events, except a choice. */
export function nextAfter(
  events: readonly ConversationEvent[],
  opening: Opening,
): Exclude<Next, "choice"> {
  const last = events.at(-1);
  if (last === undefined) return typeof opening === "function" ? "message" : "turn";
  if (last.kind === "message") return "turn";
  if (last.kind === "answers") return isOver(last.answers) ? "nothing" : "turn";
  const { calls, parsed } = last.turn;
  return calls.length + parsed.errors.length > 0 ? "answers" : "message";
}

/** Calls that the environment has answered. */
export function playedCalls(events: readonly ConversationEvent[]): readonly PlayedCall[] {
  return events.flatMap((event, i) => {
    const before = events[i - 1];
    if (event.kind !== "answers" || event.by !== "environment" || before?.kind !== "turn")
      return [];
    return event.answers.flatMap((answer, k) => {
      const call = before.turn.calls[k];
      return call === undefined ? [] : [{ call, answer }];
    });
  });
}

/**
 * The streams after `events`; null before the first message.
 * @throws AppError `chat-bridge` when the chat format cannot continue with this conversation; `chat-render`
 */
export async function streamsAfter(
  events: readonly ConversationEvent[],
  chat: Chat,
  opening: Opening,
): Promise<TokenStreams | null> {
  const [first] = events;
  const isOpened = typeof opening !== "function";
  if (!isOpened && first?.kind !== "message") return null;
  const context = isOpened || first?.kind !== "message" ? opening : await opening(first.content);
  if (typeof context === "function") return null;
  const streams = new TokenStreams(chat, context);
  let turn: ModelTurn | null = null;
  for (const event of isOpened ? events : events.slice(1)) {
    if (event.kind !== "turn") await extend(streams, turn, event);
    else {
      turn = event.turn;
      streams.current.addTurn(turn.tokens, turn.logprobs);
    }
  }
  return streams;
}

/** Adds the context that follows `event`. Nothing follows the end of an episode. @throws AppError `chat-bridge` */
export async function extend(
  streams: TokenStreams,
  turn: ModelTurn | null,
  event: Exclude<ConversationEvent, { readonly kind: "turn" }>,
): Promise<void> {
  if (turn === null) throw new AppError("invariant", "A turn comes before what follows it.");
  if (event.kind === "answers" && isOver(event.answers)) return;
  const followUps: readonly FollowUp[] =
    event.kind === "message"
      ? [{ role: "user", content: event.content }]
      : followUpsTo(turn.parsed, event.answers);
  await streams.continue(turn.tokens, () => turn.parsed, followUps);
}

function isOver(answers: readonly ToolAnswer[]): boolean {
  return answers.some(({ record }) => record.finished);
}
