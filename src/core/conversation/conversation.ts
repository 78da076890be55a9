/**
 * A conversation of a user with a model, token by token as in a rollout. A turn is sampled after the existing token ids, and its
 * ids are never encoded again. A conversation begins with a user message, with a task of an environment, or in the middle of a
 * stored rollout.
 */

import type { Chat } from "../chat/chat.ts";
import type { ToolCall, ToolDeclaration } from "../chat/renderer.ts";
import { AppError } from "../errors.ts";
import type { ImageFile } from "../images/imageFile.ts";
import type { Sha256 } from "../ports.ts";
import type { ToolAnswer } from "../rollout/runCalls.ts";
import type { SampledTurn } from "../rollout/sampleTurn.ts";
import { conversationSeed } from "../rollout/seeds.ts";
import { TokenStreams } from "../rollout/tokenStreams.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { linkSignals } from "../util/abort.ts";
import {
  type ConversationEvent,
  extend,
  NEXT_TEXTS,
  type Next,
  nextAfter,
  type Opening,
  playedCalls,
  streamsAfter,
} from "./events.ts";
import type { LiveTask } from "./liveTask.ts";
import {
  drawTurn,
  type ModelTurn,
  readTurn,
  type SamplingSettings,
  type TurnReader,
} from "./modelTurn.ts";

export interface ConversationOptions {
  readonly chat: Chat;
  readonly sampler: SamplingClient;
  readonly sha256: Sha256;
  /** Maximum number of tokens of a context and the next turn. */
  readonly maxTotalTokens: number;
  readonly opening: Opening;
  /** Tools that the model can call, for the parser. */
  readonly tools: readonly ToolDeclaration[];
  /** Answers calls; null = the user answers them. */
  readonly task: LiveTask | null;
  /** Images for ids below 0 in the opening, if there is no task. */
  readonly images?: readonly ImageFile[];
}

export interface SampleTurnsOptions {
  /** Number of turns sampled in parallel. Default: 1. */
  readonly count?: number;
  readonly signal?: AbortSignal;
  /** Called with each turn as soon as it is sampled. */
  readonly onSampled?: (turn: ModelTurn) => void;
}

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #reader: TurnReader;
  #events: readonly ConversationEvent[] = [];
  /** Null before the first message. */
  #streams: TokenStreams | null;
  #candidates: readonly ModelTurn[] = [];
  /** How often each turn number was taken back. */
  readonly #attempts = new Map<number, number>();

  constructor(options: ConversationOptions) {
    const { chat, opening, tools, task } = options;
    this.#options = options;
    this.#reader = { chat, tools, terminalTool: task?.offered.terminalTool ?? null };
    this.#streams = typeof opening === "function" ? null : new TokenStreams(chat, opening);
  }

  get events(): readonly ConversationEvent[] {
    return this.#events;
  }

  /** Turns sampled in parallel, from which one must be chosen. */
  get candidates(): readonly ModelTurn[] {
    return this.#candidates;
  }

  /** Token ids so far, which the model reads before the next turn. */
  get context(): readonly number[] {
    return Array.from(this.#streams?.current.tokens ?? []);
  }

  /** Images for ids below 0 in the context. */
  get images(): readonly ImageFile[] {
    const { task, images = [] } = this.#options;
    return task?.images ?? images;
  }

  /** Rewards from the environment, in the order received. */
  get rewards(): readonly number[] {
    return this.#events
      .flatMap((event) => (event.kind === "answers" ? event.answers : []))
      .flatMap(({ record: { reward } }) => (reward === null ? [] : [reward]));
  }

  get next(): Next {
    if (this.#candidates.length > 0) return "choice";
    return nextAfter(this.#events, this.#options.opening);
  }

  /** Calls without answers. */
  get openCalls(): readonly ToolCall[] {
    return this.next === "answers" ? (this.#lastTurn?.calls ?? []) : [];
  }

  /** True if an environment can answer calls. */
  get hasEnvironment(): boolean {
    return this.#options.task !== null;
  }

  /** @throws AppError `chat-bridge`, `chat-render`, `conversation-order` */
  async say(content: string): Promise<void> {
    this.#require("message");
    await this.#extend({ kind: "message", content });
  }

  /**
   * Samples turns from the same context. A single turn is added directly. From several, {@link choose} selects one. An abort or
   * an error in one of the samples cancels all and leaves the conversation unchanged.
   * @throws AppError `prompt-too-long`, `sample-refused`, `tinker-*`, `conversation-order`; the reason of the signal
   */
  async sample(
    settings: SamplingSettings,
    { count = 1, signal, onSampled }: SampleTurnsOptions = {},
  ): Promise<readonly ModelTurn[]> {
    this.#require("turn");
    const { context, images } = this;
    const room = this.#options.maxTotalTokens - context.length;
    if (room < 1) throw this.#noRoom(context.length);
    const limited = { ...settings, maxTokens: Math.min(settings.maxTokens, room) };
    const link = linkSignals([signal]);
    const drawing = Array.from({ length: count }, async (_, sample) => {
      const seed = this.#seedOf(settings.seed, sample);
      const request = { context, images, settings: limited, seed, signal: link.signal };
      const turn = await drawTurn(this.#options.sampler, this.#reader, request);
      onSampled?.(turn);
      return turn;
    });
    try {
      this.#candidates = await Promise.all(drawing);
    } catch (error) {
      link.abort(error);
      await Promise.allSettled(drawing);
      throw error;
    } finally {
      link.clear();
    }
    const turns = this.#candidates;
    if (turns.length === 1) this.choose(0);
    return turns;
  }

  /** Continues with one of the candidates. @throws AppError `conversation-order` */
  choose(index: number): void {
    this.#require("choice");
    const turn = this.#candidates[index];
    if (turn === undefined) {
      const count = this.#candidates.length;
      throw new AppError(
        "conversation-order",
        `There are ${count} turns to choose from, 1 to ${count}.`,
      );
    }
    this.#candidates = [];
    this.#take(turn);
  }

  /** Adds a turn that was sampled earlier, for example in a stored rollout. @throws AppError `conversation-order` */
  adopt(sampled: SampledTurn): void {
    this.#require("turn");
    this.#take(readTurn(this.#reader, sampled, this.context, null));
  }

  /**
   * Lets the environment answer the open calls, until one ends the episode. After an error or abort, these calls count as not
   * run, and the next attempt repeats the conversation in a new session.
   * @throws AppError `task-not-repeatable`, `environment-*`, `timeout`, `conversation-order`
   */
  async runCalls(signal: AbortSignal): Promise<readonly ToolAnswer[]> {
    this.#require("answers");
    const { task } = this.#options;
    if (task === null) {
      throw new AppError(
        "conversation-order",
        "No environment answers calls here. Answer them yourself.",
      );
    }
    await task.seek(playedCalls(this.#events), signal);
    const answers: ToolAnswer[] = [];
    for (const call of this.openCalls) {
      const answer = await task.run(call, signal);
      answers.push(answer);
      if (answer.record.finished) break;
    }
    await this.#extend({ kind: "answers", by: "environment", answers });
    return answers;
  }

  /**
   * Answers the open calls with one text each. The environment does not see these answers.
   * @throws AppError `chat-bridge`, `conversation-order`
   */
  async answer(texts: readonly string[]): Promise<void> {
    this.#require("answers");
    const calls = this.openCalls;
    if (texts.length !== calls.length) {
      const message = `${calls.length} calls wait for an answer each, but there are ${texts.length} answers.`;
      throw new AppError("conversation-order", message);
    }
    const answers = texts.map((content, i): ToolAnswer => {
      const name = calls[i]?.name ?? "";
      const record = { name, text: content, isError: false, reward: null, finished: false };
      return { record, said: { content } };
    });
    await this.#extend({ kind: "answers", by: "person", answers });
  }

  /** Takes back the last turn and its answers. If sampled again, it has another seed. False if there is no turn. */
  async takeBackTurn(): Promise<boolean> {
    const hasCandidates = this.#candidates.length > 0;
    this.#candidates = [];
    const last = this.#events.findLastIndex(({ kind }) => kind === "turn");
    if (!hasCandidates) {
      if (last === -1) return false;
      await this.#reset(this.#events.slice(0, last));
    }
    const number = this.#turnNumber;
    this.#attempts.set(number, (this.#attempts.get(number) ?? 0) + 1);
    return true;
  }

  /** Takes back the last turn and the user message before it. False if there is nothing to take back. */
  async undo(): Promise<boolean> {
    const isUnanswered = this.next === "turn" && this.#events.at(-1)?.kind === "message";
    const wasTaken = !isUnanswered && (await this.takeBackTurn());
    const last = this.#events.at(-1);
    if (last === undefined || last.kind === "turn") return wasTaken;
    if (last.kind === "answers" && last.by === "environment") return wasTaken;
    this.#attempts.delete(this.#turnNumber);
    await this.#reset(this.#events.slice(0, -1));
    return true;
  }

  /** Ends the environment session, if there is one. */
  async close(): Promise<void> {
    await this.#options.task?.close();
  }

  get #lastTurn(): ModelTurn | null {
    const last = this.#events.findLast((event) => event.kind === "turn");
    return last === undefined ? null : last.turn;
  }

  /** Number of the next turn, from 0. */
  get #turnNumber(): number {
    return this.#events.filter(({ kind }) => kind === "turn").length;
  }

  #seedOf(seed: number, sample: number): number {
    const turn = this.#turnNumber;
    const attempt = this.#attempts.get(turn) ?? 0;
    return conversationSeed(this.#options.sha256, seed, { turn, attempt, sample });
  }

  #noRoom(tokens: number): AppError {
    return new AppError(
      "prompt-too-long",
      `The conversation has ${tokens} tokens, which leaves no room within the limit of ${this.#options.maxTotalTokens}. Undo a turn, or raise max_total_tokens; where the context of the model is the limit, choose another model.`,
      { configPath: "max_total_tokens" },
    );
  }

  #require(next: Next): void {
    if (this.next === next) return;
    throw new AppError("conversation-order", `Not now: ${NEXT_TEXTS[this.next]}`);
  }

  #take(turn: ModelTurn): void {
    this.#streams?.current.addTurn(turn.tokens, turn.logprobs);
    this.#events = [...this.#events, { kind: "turn", turn }];
  }

  /** Adds an event after a turn. Leaves everything unchanged if the chat format cannot continue. */
  async #extend(event: Exclude<ConversationEvent, { readonly kind: "turn" }>): Promise<void> {
    const events = [...this.#events, event];
    if (this.#streams === null) return this.#reset(events);
    try {
      await extend(this.#streams, this.#lastTurn, event);
      this.#events = events;
    } catch (error) {
      await this.#reset(this.#events);
      throw error;
    }
  }

  /** Rebuilds the streams. Sampled ids stay the same, and everything between them is rendered as before. */
  async #reset(events: readonly ConversationEvent[]): Promise<void> {
    const { chat, opening } = this.#options;
    this.#streams = await streamsAfter(events, chat, opening);
    this.#events = events;
  }
}
