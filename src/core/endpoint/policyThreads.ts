/**
 * Converts the requests of one caller to tokens. A caller sends its whole conversation each time. If it continues one that was answered
 * here, that thread's token streams grow only by what is new, as in a rollout. Anything else (a compacted or edited history, a sub-agent,
 * other tools) starts a new thread. So each sampled token appears exactly once, after the context it was sampled in.
 */

import type { Chat } from "../chat/chat.ts";
import type { Content } from "../chat/content.ts";
import { buildFirstPrompt, type FirstPrompt } from "../chat/firstPrompt.ts";
import { ImagePool } from "../chat/imagePool.ts";
import type { FollowUp, InitialMessage, ParsedTurn, ToolDeclaration } from "../chat/renderer.ts";
import { renderAside } from "../chat/tokenizer.ts";
import { AppError, isAppError } from "../errors.ts";
import type { ImageFile } from "../images/imageFile.ts";
import type { Sha256 } from "../ports.ts";
import { callIdOf, followUpsTo, toolErrorText } from "../rollout/feedback.ts";
import { Ledger } from "../rollout/ledger.ts";
import type { SampledTurn } from "../rollout/sampleTurn.ts";
import { TokenStreams } from "../rollout/tokenStreams.ts";
import {
  type AnsweredTurn,
  answeredTurn,
  cutAtStop,
  type StoppedTurn,
  withDeclaredCalls,
} from "./answeredTurn.ts";
import type { EndpointRequest } from "./endpointRequest.ts";
import { messageKeys, toolsKey, turnKey } from "./messageKeys.ts";
import { endpointRefusal } from "./refusal.ts";
import { newImages, type SentMessages, withPooledImages } from "./requestImages.ts";

export interface PolicyThreadsOptions {
  readonly chat: Chat;
  /** Holds the images of its requests. */
  readonly images: ImagePool;
  /** Text that replaces an image for the model; absent to send images. */
  readonly imagePlaceholder?: string | undefined;
  /** The configured system prompt, before the caller's messages; null for none. */
  readonly systemPromptTemplate: string | null;
  /** Maximum tokens of a context including its next turn. */
  readonly maxTotalTokens: number;
  readonly sha256: Sha256;
  /** Creates a unique call id. */
  readonly newCallId: () => string;
  readonly limits: ThreadLimits;
}

export interface ThreadLimits {
  readonly threads: number;
  /** Over all streams. */
  readonly tokens: number;
  /** Over all conversations. */
  readonly images: number;
  /** When a new thread does not fit: forget the least recently used thread, or refuse the request. */
  readonly whenFull: "forget" | "refuse";
}

type SentRequest = Pick<EndpointRequest, "messages" | "images" | "tools" | "oneCall" | "stopTexts">;

/** With messages whose images have their ids in the streams. */
type ThreadRequest = Omit<SentRequest, "images">;

/** A context for sampling a turn. */
export interface PendingTurn {
  /** Token ids of the context. */
  readonly prompt: Int32Array;
  /** Images in the context, by id. */
  readonly images: readonly ImageFile[];
  /** Messages of the request. */
  readonly messages: readonly InitialMessage[];
  /** Remaining tokens for the turn, at least 1. */
  readonly room: number;
  /** Whether the context continues a thread, copies another thread's ids, or was rendered. */
  readonly from: "append" | "repeat" | "render";
  /** Number of model turns in the request. */
  readonly depth: number;
  /** Digest of the first message by {@link messageKeys}. */
  readonly opening: string;
  /** Equal for requests with the same messages and tools. */
  readonly context: string;
  /** The turn that the request continues and what follows it; null in a new thread. */
  readonly continued: ContinuedTurn | null;
  /** Adds the sampled turn. Call this or {@link abandon} once. */
  finish(sampled: SampledTurn): FinishedTurn;
  /** Ends without a turn; the same request may be repeated. */
  abandon(): void;
}

export interface ContinuedTurn {
  /** Its number over all threads. */
  readonly turn: number;
  /** Results in call order, and the user's messages. */
  readonly news: readonly InitialMessage[];
}

export interface FinishedTurn {
  readonly answer: AnsweredTurn;
  /** Its number over all threads, from 0. */
  readonly turn: number;
  /** Whether it is the first turn sampled here in its conversation. */
  readonly isFirst: boolean;
  /** The stream that ends with this turn. */
  readonly ledger: Ledger;
  /** Cut at the caller's stop text. */
  readonly sampled: StoppedTurn;
}

/** A turn that was answered. */
interface LastTurn {
  readonly key: string;
  readonly ids: readonly number[];
  readonly answer: AnsweredTurn;
  readonly callIds: readonly string[];
}

interface Thread {
  readonly toolsKey: string;
  readonly tools: readonly ToolDeclaration[];
  readonly streams: TokenStreams;
  /** Keys of the messages before the last turn. */
  asked: readonly string[];
  /** Tokens of the current stream before the last turn. */
  contextLength: number;
  /** Null until a turn is sampled. */
  turn: LastTurn | null;
  isBusy: boolean;
  /** Ids of the images in its messages. */
  images: readonly number[];
  /** Each turn's number over all threads. */
  readonly turnNumbers: number[];
  /** Ids of all its calls, as the caller knows them. */
  readonly callIds: string[];
}

/** Result for further calls when the caller takes one per turn. */
const ONE_CALL = toolErrorText("Only the first call of a turn runs.");

export class PolicyThreads {
  readonly #options: PolicyThreadsOptions;
  /** In order of use, the most recent last. */
  #threads: readonly Thread[] = [];
  #turnCount = 0;
  /** Image ids of requests whose thread is being looked up. */
  readonly #sought = new Set<readonly number[]>();
  /** The model's own call ids, by the ids that the caller knows. */
  readonly #ownIds = new Map<string, string>();

  constructor(options: PolicyThreadsOptions) {
    this.#options = options;
  }

  /** Number of turns sampled in all threads. */
  get turnCount(): number {
    return this.#turnCount;
  }

  /** Number of tokens that followed turns, in all threads. */
  get observationTokens(): number {
    return this.#threads.reduce((sum, { streams }) => sum + streams.observationTokens, 0);
  }

  /**
   * All streams with sampled turns, in the order of their first turns. Turns are numbered in sampling order over all threads. Computed on
   * each access.
   */
  get streams(): readonly Ledger[] {
    const streams = this.#threads.flatMap(({ streams: { all }, turnNumbers }) =>
      all.filter(({ turnCount }) => turnCount > 0).map((ledger) => renumbered(ledger, turnNumbers)),
    );
    return streams
      .map((ledger) => ({ ledger, first: ledger.runs.find(({ turn }) => turn >= 0)?.turn ?? 0 }))
      .sort((a, b) => a.first - b.first)
      .map(({ ledger }) => ledger);
  }

  /**
   * Creates the context of the next turn; several may be open at once. `messages` must be ordered as by `orderedMessages`.
   * @throws AppError `endpoint-refused`, `prompt-too-long`, `chat-render`
   */
  async begin(sent: SentRequest): Promise<PendingTurn> {
    const { sha256, chat, maxTotalTokens, images, imagePlaceholder } = this.#options;
    if (sent.tools.length > 0 && chat.renderer.callsTools === false) {
      throw endpointRefusal(
        `tools: the model cannot call tools, because its chat format is ${chat.renderer.id}. Leave them out.`,
        { param: "tools" },
      );
    }
    const asked = messageKeys(sent.messages, sent.images, sha256);
    const tools = toolsKey(sent.tools, sha256);
    const added = imagePlaceholder === undefined ? newImages(sent, images) : 0;
    this.#makeRoom({ threads: 0, tokens: 0, images: added });
    const request = { ...sent, messages: this.#withImages(sent, images) };
    const found = await this.#found(request, asked, tools);
    const { thread, from, continued = null } = found;
    thread.contextLength = thread.streams.current.length;
    const room = maxTotalTokens - thread.contextLength;
    if (room < 1) {
      thread.isBusy = false;
      throw new AppError(
        "prompt-too-long",
        `The conversation has ${thread.contextLength} tokens, which leaves no room within the limit of ${maxTotalTokens}. Shorten it, or raise max_total_tokens; where the context of the model is the limit, choose another model.`,
        { configPath: "max_total_tokens" },
      );
    }
    return {
      prompt: thread.streams.current.tokens,
      images: images.files,
      messages: request.messages,
      room,
      from,
      depth: request.messages.filter(({ role }) => role === "assistant").length,
      opening: asked[0] ?? "",
      context: sha256([tools, ...asked].join()),
      continued,
      finish: (sampled) => this.#finish(thread, request, sampled),
      abandon: () => {
        thread.isBusy = false;
      },
    };
  }

  /** Context tokens of a conversation's start, without opening a thread. @throws AppError `chat-render` */
  async countTokens(sent: Pick<SentRequest, "messages" | "images" | "tools">): Promise<number> {
    const messages = this.#withImages(sent, new ImagePool(this.#options.chat.images));
    return (await this.#render(this.#first({ ...sent, messages }))).length;
  }

  #withImages(sent: SentMessages, pool: ImagePool): readonly InitialMessage[] {
    return withPooledImages(sent, { pool, placeholder: this.#options.imagePlaceholder });
  }

  /** Finds or creates the thread of a request, which then holds the request's images. */
  async #found(request: ThreadRequest, asked: readonly string[], tools: string) {
    const images = request.messages.flatMap((message) => message.images ?? []).map(({ id }) => id);
    this.#sought.add(images);
    try {
      const found = await this.#context(request, asked, tools);
      found.thread.images = images;
      return found;
    } finally {
      this.#sought.delete(images);
    }
  }

  async #context(
    request: ThreadRequest,
    asked: readonly string[],
    tools: string,
  ): Promise<
    { readonly thread: Thread } & Pick<PendingTurn, "from"> &
      Partial<Pick<PendingTurn, "continued">>
  > {
    const alike = this.#threads.filter((thread) => thread.toolsKey === tools);
    const before = alike.filter((thread) => isContinued(thread, asked, request.messages));
    const continued = before.findLast((thread) => hasSameIds(thread, request)) ?? before.at(-1);
    if (continued !== undefined) {
      const turn = continued.turnNumbers.at(-1) ?? 0;
      const news = request.messages.slice(continued.asked.length + 1);
      if (await this.#append(continued, request, asked)) {
        return { thread: continued, from: "append", continued: { turn, news } };
      }
    }
    const same = alike.filter((thread) => isSame(thread.asked, asked));
    const waiting = same.find(({ isBusy, turn }) => !isBusy && turn === null);
    if (waiting !== undefined) {
      waiting.isBusy = true;
      this.#use(waiting);
      return { thread: waiting, from: "repeat" };
    }
    const sampledFrom = same.at(-1);
    if (sampledFrom !== undefined) {
      const { streams, contextLength } = sampledFrom;
      const tokens = Array.from(streams.current.slice(0, contextLength));
      const thread = this.#add({ request, asked, tools, first: this.#first(request), tokens });
      return { thread, from: "repeat" };
    }
    const first = this.#first(request);
    const tokens = await this.#render(first);
    return { thread: this.#add({ request, asked, tools, first, tokens }), from: "render" };
  }

  /** False when the chat format cannot continue the conversation; the thread's streams stay unchanged. */
  async #append(
    thread: Thread,
    { messages }: ThreadRequest,
    asked: readonly string[],
  ): Promise<boolean> {
    const { turn, streams, tools } = thread;
    if (turn === null) return false;
    thread.isBusy = true;
    thread.turn = null;
    const read = (): ParsedTurn => this.#parse(turn.ids, tools);
    const news = messages.slice(thread.asked.length + 1);
    this.#use(thread);
    try {
      await streams.continue(turn.ids, read, followUpsIn(news, turn, read()));
      thread.asked = asked;
      return true;
    } catch (error) {
      thread.asked = [];
      thread.isBusy = false;
      if (isAppError(error, "chat-bridge")) return false;
      throw error;
    }
  }

  #render(first: FirstPrompt): Promise<readonly number[]> {
    const { renderer, tokenizer } = this.#options.chat;
    return renderAside(tokenizer, () => renderer.renderInitial(first.messages, first.tools));
  }

  #first({ messages, tools }: Pick<ThreadRequest, "messages" | "tools">): FirstPrompt {
    const { systemPromptTemplate } = this.#options;
    return buildFirstPrompt({
      systemPromptTemplate,
      task: messages.map((message) => this.#withOwnIds(message)),
      tools: tools.map(({ function: { name, description, parameters } }) => {
        return { name, description, inputSchema: parameters };
      }),
    });
  }

  /** Restores the model's own call ids, for formats that show them. */
  #withOwnIds(message: InitialMessage): InitialMessage {
    const own = (id: string): string => this.#ownIds.get(id) ?? id;
    if (message.role === "tool") return { ...message, callId: own(message.callId) };
    if (message.role !== "assistant") return message;
    return { ...message, calls: message.calls.map((call) => ({ ...call, id: own(call.id) })) };
  }

  #add(made: {
    readonly request: ThreadRequest;
    readonly asked: readonly string[];
    readonly tools: string;
    readonly first: FirstPrompt;
    readonly tokens: readonly number[];
  }): Thread {
    const { request, asked, tools, first, tokens } = made;
    this.#makeRoom({ threads: 1, tokens: tokens.length, images: 0 });
    const thread: Thread = {
      toolsKey: tools,
      tools: request.tools,
      streams: new TokenStreams(this.#options.chat, { first, tokens }),
      asked,
      contextLength: tokens.length,
      turn: null,
      isBusy: true,
      images: [],
      turnNumbers: [],
      callIds: [],
    };
    this.#threads = [...this.#threads, thread];
    return thread;
  }

  /**
   * Makes room for `next`. @throws AppError `endpoint-refused`: 400 when nothing may be forgotten; 429, which clients retry, when all
   * threads are in use
   */
  #makeRoom(next: Omit<ThreadLimits, "whenFull">): void {
    const { images: pool, limits } = this.#options;
    const { threads, tokens: most, whenFull } = limits;
    const isFull = (): boolean =>
      this.#threads.length + next.threads > threads ||
      tokenCount(this.#threads) + next.tokens > most ||
      pool.count + next.images > limits.images;
    while (isFull()) {
      const oldest = this.#threads.find(({ isBusy }) => !isBusy);
      if (oldest === undefined || whenFull === "refuse") {
        throw endpointRefusal(
          `This endpoint holds ${this.#threads.length} conversations with ${tokenCount(this.#threads)} tokens and ${pool.count} images. It takes at most ${threads} conversations, ${most} tokens and ${limits.images} images.`,
          { status: whenFull === "refuse" ? 400 : 429, code: "too_many_conversations" },
        );
      }
      for (const id of oldest.callIds) this.#ownIds.delete(id);
      this.#threads = this.#threads.filter((thread) => thread !== oldest);
      const held = [...this.#sought, ...this.#threads.map(({ images }) => images)];
      pool.keepOnly(new Set(held.flat()));
    }
  }

  #use(thread: Thread): void {
    this.#threads = [...this.#threads.filter((other) => other !== thread), thread];
  }

  /** Parses a turn as the caller receives it. */
  #parse(ids: readonly number[], tools: readonly ToolDeclaration[]): ParsedTurn {
    return withDeclaredCalls(this.#options.chat.renderer.parse(ids, tools), tools);
  }

  #finish(thread: Thread, request: ThreadRequest, whole: SampledTurn): FinishedTurn {
    const { chat, sha256, newCallId } = this.#options;
    const sampled = cutAtStop(chat.tokenizer, whole, request.stopTexts);
    const ids = Array.from(sampled.tokens);
    thread.streams.current.addTurn(sampled.tokens, sampled.logprobs, sampled.sequenceId);
    const number = this.#turnCount;
    thread.turnNumbers.push(number);
    this.#turnCount += 1;
    const parsed = this.#parse(ids, thread.tools);
    const answer = answeredTurn(parsed, sampled, request, newCallId);
    const callIds = answer.calls.map(({ id }) => id);
    for (const [i, id] of callIds.entries()) this.#ownIds.set(id, callIdOf(parsed.calls, i));
    thread.callIds.push(...callIds);
    thread.turn = { key: turnKey(answer, sha256), ids, answer, callIds };
    thread.isBusy = false;
    const isFirst = thread.turnNumbers.length === 1;
    return { answer, sampled, turn: number, isFirst, ledger: thread.streams.current };
  }
}

/** True when the request consists of the messages before the thread's last turn, that turn, and then only results or user messages. */
function isContinued(
  { isBusy, turn, asked: before }: Thread,
  asked: readonly string[],
  messages: readonly InitialMessage[],
): boolean {
  const { length } = before;
  if (isBusy || turn === null || asked.length < length + 2 || asked[length] !== turn.key)
    return false;
  const isNews = messages.slice(length + 1).every(({ role }) => role === "tool" || role === "user");
  return isNews && before.every((key, i) => asked[i] === key);
}

/** Turns sampled in parallel may have the same text but different tokens; the ids of their calls distinguish them. */
function hasSameIds({ asked, turn }: Thread, { messages }: ThreadRequest): boolean {
  const message = messages[asked.length];
  const ids = message?.role === "assistant" ? message.calls.map(({ id }) => id) : [];
  return isSame(ids, turn?.callIds ?? []);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

/** Answers in the same form as a rollout's, followed by the user's messages. */
function followUpsIn(
  news: readonly InitialMessage[],
  { answer }: LastTurn,
  parsed: ParsedTurn,
): readonly FollowUp[] {
  const results = news.filter(({ role }) => role === "tool");
  const said = news.filter(({ role }) => role === "user");
  const answers = parsed.calls.map(({ name }, i) => {
    const result = results[i] ?? { content: "" };
    return {
      record: { name },
      said: i < answer.calls.length ? contentOf(result) : { content: ONE_CALL },
    };
  });
  return [
    ...(answers.length > 0 ? followUpsTo(parsed, answers) : []),
    ...said.map((message): FollowUp => ({ role: "user", ...contentOf(message) })),
  ];
}

function contentOf({ content, images }: Content): Content {
  return images === undefined ? { content } : { content, images };
}

function tokenCount(threads: readonly Thread[]): number {
  return threads.reduce(
    (sum, { streams }) => streams.all.reduce((own, { length }) => own + length, sum),
    0,
  );
}

function renumbered(ledger: Ledger, numbers: readonly number[]): Ledger {
  const { tokens, logprobs, runs } = ledger;
  const renamed = runs.map((run) => ({ ...run, turn: numbers[run.turn] ?? run.turn }));
  return Ledger.restore({ tokens, logprobs, runs: renamed });
}
