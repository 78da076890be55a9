/**
 * The token streams of one rollout. Turns are appended to the last stream. If the next context cannot be reached by appending, because
 * the chat format drops earlier reasoning or cannot continue a turn, a new stream starts with the whole conversation as its prompt. So
 * each sampled token appears exactly once, after the context it was sampled in.
 */

import type { Chat } from "../chat/chat.ts";
import { type FirstPrompt, withAddedText } from "../chat/firstPrompt.ts";
import type { Bridge, FollowUp, InitialMessage, ParsedTurn } from "../chat/renderer.ts";
import { renderAside } from "../chat/tokenizer.ts";
import { AppError, isAppError } from "../errors.ts";
import { callIdOf } from "./feedback.ts";
import { Ledger } from "./ledger.ts";
import type { RenderedTask } from "./renderTask.ts";

export class TokenStreams {
  readonly #chat: Chat;
  readonly #first: FirstPrompt;
  readonly #messages: InitialMessage[];
  /** Later messages, parsed only when the whole conversation is rendered. */
  readonly #unread: (() => readonly InitialMessage[])[] = [];
  readonly #streams: Ledger[];
  /** The text that only a teacher reads; null for none. */
  readonly #taughtText: string | null;
  #observationTokens = 0;

  constructor(
    chat: Chat,
    { first, tokens, taught }: Pick<RenderedTask, "first" | "tokens" | "taught">,
  ) {
    this.#chat = chat;
    this.#first = first;
    this.#messages = [...first.messages];
    this.#taughtText = taught?.text ?? null;
    this.#streams = [new Ledger(tokens, 0, taught?.tokens)];
  }

  /** The stream for the next turn. */
  get current(): Ledger {
    const last = this.#streams.at(-1);
    if (last === undefined) throw new AppError("invariant", "A rollout has at least one stream.");
    return last;
  }

  /** Index of {@link current} in {@link all}. */
  get index(): number {
    return this.#streams.length - 1;
  }

  /** In sampling order; the last one may not have a turn yet. */
  get all(): readonly Ledger[] {
    return this.#streams;
  }

  /** Number of streams with turns, beyond the first. */
  get breaks(): number {
    return Math.max(0, this.#streams.filter(({ turnCount }) => turnCount > 0).length - 1);
  }

  /** Tokens from the environment after the first prompt. */
  get observationTokens(): number {
    return this.#observationTokens;
  }

  /**
   * Prepares the context of the next turn, after a turn with the ids `turn`, which `read` parses.
   * @throws AppError `chat-bridge` when the chat format can neither append to this conversation nor render it again
   */
  async continue(
    turn: readonly number[],
    read: () => ParsedTurn,
    followUps: readonly FollowUp[],
  ): Promise<void> {
    this.#unread.push(unreadMessages(read, followUps));
    const { tokenizer } = this.#chat;
    const { context, observations, taught } = await renderAside(tokenizer, () =>
      this.#contextAfter(turn, followUps),
    );
    this.#observationTokens += observations;
    if ("delta" in context) this.current.addContext(context.closing, context.delta);
    else {
      const turns = this.#streams.reduce((sum, { turnCount }) => sum + turnCount, 0);
      this.#streams.push(new Ledger(context, turns, taught));
    }
  }

  /**
   * What to append, or the prompt of a new stream and its version for the teacher; and how many of the tokens came from the environment.
   */
  #contextAfter(
    turn: readonly number[],
    followUps: readonly FollowUp[],
  ): {
    readonly context: Bridge | readonly number[];
    readonly observations: number;
    readonly taught?: readonly number[] | undefined;
  } {
    const bridge = this.#chat.retention === "template" ? null : this.#bridge(turn, followUps);
    if (bridge !== null) return { context: bridge, observations: bridge.delta.length };
    for (const read of this.#unread.splice(0)) this.#messages.push(...read());
    const context = this.#render(this.#messages);
    const { tokens } = this.current;
    if (tokens.every((token, i) => context[i] === token)) {
      const delta = context.slice(tokens.length);
      return { context: { closing: [], delta }, observations: delta.length };
    }
    const { tokenizer } = this.#chat;
    const lengths = followUps.map(({ content }) => tokenizer.encodeText(content).length);
    const observations = lengths.reduce((sum, count) => sum + count, 0);
    const text = this.#taughtText;
    const taught = text === null ? undefined : this.#render(withAddedText(this.#messages, text));
    return { context, observations, taught };
  }

  /** Null when the chat format cannot append to such a turn. */
  #bridge(turn: readonly number[], followUps: readonly FollowUp[]): Bridge | null {
    try {
      return this.#chat.renderer.bridge(turn, followUps);
    } catch (error) {
      if (isAppError(error, "chat-bridge")) return null;
      throw error;
    }
  }

  #render(messages: readonly InitialMessage[]): readonly number[] {
    try {
      return this.#chat.renderer.renderInitial(messages, this.#first.tools);
    } catch (cause) {
      if (!isAppError(cause, "chat-render")) throw cause;
      // The first prompt rendered fine, so the template refuses only this conversation.
      const message = `The conversation cannot continue, because the model's chat format can neither append to it nor render it again. ${cause.message}`;
      throw new AppError("chat-bridge", message, { cause, configPath: "thinking.retention" });
    }
  }
}

/** A separate function, so that the closure keeps only its parameters alive. */
function unreadMessages(
  read: () => ParsedTurn,
  followUps: readonly FollowUp[],
): () => readonly InitialMessage[] {
  return () => [modelMessage(read()), ...followUps];
}

/** A turn as a message. */
function modelMessage(turn: ParsedTurn): InitialMessage {
  const { reasoning, calls } = turn;
  return {
    role: "assistant",
    content: saidText(turn),
    reasoning,
    calls: calls.map(({ name, args }, i) => ({ id: callIdOf(calls, i), name, args })),
  };
}

/** The content of a turn, with the calls that could not be parsed. */
export function saidText({ content, errors }: Pick<ParsedTurn, "content" | "errors">): string {
  return [content, ...errors.map(({ raw }) => raw)].filter((text) => text !== "").join("\n");
}
