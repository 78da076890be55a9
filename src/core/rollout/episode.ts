/** One attempt at a rollout: plays a session turn by turn until a stop reason ends it. */

import type { Chat } from "../chat/chat.ts";
import { declareTool } from "../chat/firstPrompt.ts";
import type { PooledImage } from "../chat/imagePool.ts";
import type { FollowUp, InitialMessage, ParsedTurn, ToolDeclaration } from "../chat/renderer.ts";
import { AppError } from "../errors.ts";
import type { EnvironmentSession, ToolList } from "../openreward/types.ts";
import type { Clock } from "../ports.ts";
import type { ToolCallFacts, TurnFacts } from "../runFolder/metrics/stepFacts.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import type { Deadline } from "../util/abort.ts";
import { promptText, storedConversation } from "./conversation.ts";
import { EpisodeCalls } from "./episodeCalls.ts";
import {
  lastTurnReader,
  storedTools,
  type TurnOutcome,
  textsOf,
  turnFacts,
  turnRecord,
  type WrittenTurn,
} from "./episodeRecord.ts";
import { policyOutcome } from "./faults.ts";
import { followUpsTo } from "./feedback.ts";
import type { Ledger } from "./ledger.ts";
import { type RenderedTask, renderTask } from "./renderTask.ts";
import { RolloutImages } from "./rolloutImages.ts";
import { callsOf, type ToolAnswer } from "./runCalls.ts";
import { sampleInTime } from "./sampleTurn.ts";
import type { RolloutSettings } from "./settings.ts";
import { TokenStreams } from "./tokenStreams.ts";

export interface EpisodeOptions {
  readonly session: EnvironmentSession;
  readonly sampler: SamplingClient;
  readonly chat: Chat;
  readonly clock: Clock;
  readonly settings: RolloutSettings;
  /** For messages. */
  readonly environment: string;
  /** Seed of a turn's sample; not sent when undefined. */
  readonly seedOf: (turn: number) => number | undefined;
  /** Waits for a slot among the run's samples in flight; returns its release function. */
  readonly sampleSlot: (signal: AbortSignal) => Promise<() => void>;
  /** Called before a turn with the messages to the model: a whole conversation if `isNew`, or what follows the turn before. */
  readonly onMessages?: ((messages: readonly InitialMessage[], isNew: boolean) => void) | undefined;
  /** Aborts the attempt when it expires; what was played so far is kept. Paused during waits that are not the rollout's fault. */
  readonly limit: Deadline;
}

/** A turn that was played. */
interface PlayedTurn {
  readonly read: () => WrittenTurn;
  readonly outcome: TurnOutcome;
}

/** What an attempt has played so far. */
export interface PlayedEpisode
  extends Pick<RolloutRecord, "promptText" | "conversation" | "tools" | "turns" | "agent"> {
  /** All rewards received, in order. */
  readonly rewards: readonly number[];
  /** Rewards by turn; absent = those of the turns' tool results. */
  readonly turnRewards?: readonly number[] | undefined;
  readonly turnFacts: readonly TurnFacts[];
  readonly toolFacts: readonly ToolCallFacts[];
  /** The images that the model saw, in order. */
  readonly images: readonly PooledImage[];
  readonly promptTokens: number;
  readonly observationTokens: number;
  readonly streamBreaks: number;
  readonly samplingMs: number;
}

/** Plays an attempt: the built-in loop of turns and tools, or an agent. */
export interface RolloutEpisode {
  /** The tokens so far, one ledger per stream; empty before the first prompt. */
  readonly streams: readonly Ledger[];
  readonly turnCount: number;
  /** Block types that the environment accepts to score a group; null when it does not score groups. */
  readonly scoredFrom: readonly string[] | null;
  /** A snapshot, computed on each access; valid at any time. */
  readonly played: PlayedEpisode;
  /** Plays to the end. Throws service faults; mistakes of the model are not faults. */
  play(): Promise<StopReason>;
}

export class Episode implements RolloutEpisode {
  readonly #turns: PlayedTurn[] = [];
  readonly #turnFacts: TurnFacts[] = [];
  #promptText = "";
  #conversation: RolloutRecord["conversation"] = [];
  #promptTokens = 0;
  #samplingMs = 0;
  #streams: TokenStreams | null = null;
  readonly #options: EpisodeOptions;
  readonly #images: RolloutImages;
  readonly #calls: EpisodeCalls;
  #tools: ToolList | null = null;
  /** Declarations of the callable tools, for the parser. */
  #declared: readonly ToolDeclaration[] = [];
  #parseErrorsInARow = 0;
  #noCallsInARow = 0;

  constructor(options: EpisodeOptions) {
    this.#options = options;
    this.#images = new RolloutImages(options);
    this.#calls = new EpisodeCalls(options, this.#images);
  }

  get streams(): readonly Ledger[] {
    return this.#streams?.all ?? [];
  }

  get turnCount(): number {
    return this.#turns.length;
  }

  get played(): PlayedEpisode {
    return {
      promptText: this.#promptText,
      conversation: this.#conversation,
      promptTokens: this.#promptTokens,
      tools: storedTools(this.#declared),
      turns: this.#turns.map(({ read, outcome }) => turnRecord(read(), outcome)),
      turnFacts: this.#turnFacts,
      toolFacts: this.#calls.facts,
      rewards: this.#calls.rewards,
      images: this.#images.all,
      streamBreaks: this.#streams?.breaks ?? 0,
      observationTokens: this.#streams?.observationTokens ?? 0,
      samplingMs: this.#samplingMs,
    };
  }

  get scoredFrom(): readonly string[] | null {
    return this.#tools?.supportsGroupScoring ? this.#tools.messageBlockTypes : null;
  }

  async play(): Promise<StopReason> {
    const streams = await this.#open();
    const { maxTotalTokens } = this.#options.settings;
    if (this.#promptTokens >= maxTotalTokens) throw this.#noRoom(this.#promptTokens);
    for (;;) {
      const room = maxTotalTokens - streams.current.length;
      if (room < 1) return "max_tokens";
      try {
        const stop = await this.#turn(streams, room);
        if (stop !== null) return stop;
      } catch (error) {
        const stop = this.turnCount > 0 ? policyOutcome(error, "later-turn") : null;
        if (stop === null) throw error;
        return stop;
      }
    }
  }

  async #open(): Promise<TokenStreams> {
    const { chat, limit, session, settings } = this.#options;
    // Both wait for the environment's setup, which is not the rollout's own time.
    const [tools, prompt] = await limit.withTimerPaused(async () => [
      await session.tools(limit),
      await session.prompt(limit),
    ]);
    this.#tools = tools;
    const rendered = await renderTask({
      prompt,
      offered: tools,
      chat,
      settings,
      images: this.#images,
    });
    const { task } = rendered;
    this.#promptText = promptText(task);
    this.#conversation = storedConversation(task);
    this.#options.onMessages?.(rendered.first.messages, true);
    this.#declared = rendered.tools.map(declareTool);
    this.#promptTokens = rendered.tokens.length;
    this.#requireRoomOfTeacher(rendered);
    this.#streams = new TokenStreams(chat, rendered);
    return this.#streams;
  }

  #noRoom(tokens: number): AppError {
    const { environment, settings } = this.#options;
    return new AppError(
      "prompt-too-long",
      `The first prompt of ${environment} has ${tokens} tokens, which leaves no room within the ${settings.maxTotalTokens} tokens of a rollout. Raise max_total_tokens; where the context of the model is the limit, choose another model, or tasks with shorter prompts.`,
      { configPath: "max_total_tokens" },
    );
  }

  #requireRoomOfTeacher({ taught }: RenderedTask): void {
    const { environment, settings } = this.#options;
    const { maxTokens = Number.POSITIVE_INFINITY } = settings.teacher ?? {};
    if (taught === undefined || taught.tokens.length < maxTokens) return;
    throw new AppError(
      "prompt-too-long",
      `The first prompt of ${environment} with teacher.context has ${taught.tokens.length} tokens, which leaves no room for a turn in the model's context of ${maxTokens}. Shorten teacher.context, or choose other tasks.`,
      { configPath: "teacher.context" },
    );
  }

  async #turn(streams: TokenStreams, room: number): Promise<StopReason | null> {
    const { clock, settings } = this.#options;
    const startedAtMs = clock.now();
    const started = clock.monotonic();
    const { stopReason, read, parsed, calls, isTruncated } = await this.#writtenTurn(streams, room);
    const samplingMs = Math.round(clock.monotonic() - started);
    const answers: ToolAnswer[] = [];
    let followUps: readonly FollowUp[] = [];
    let stop: StopReason | null = null;
    try {
      stop = await this.#calls.runAll(calls, answers);
      if (stop === null) {
        followUps = followUpsTo(parsed, answers);
        stop = this.#limitReached(parsed, calls.length > 0, isTruncated);
      }
    } finally {
      // Record the turn even when a call is cut off, because the streams already contain it.
      const outcome: TurnOutcome = {
        stopReason,
        isTruncated,
        results: answers.map(({ record }) => record),
        nudge: stop === null && answers.length === 0 ? textsOf(followUps) : null,
        startedAtMs,
        durationMs: clock.monotonic() - started,
        samplingMs,
        stream: streams.index,
      };
      this.#turns.push({ read, outcome });
    }
    if (stop !== null) return stop;
    if (this.turnCount >= settings.maxTurns) return "max_turns";
    this.#options.onMessages?.(followUps, false);
    await streams.continue(Array.from(streams.current.lastTurn), parsedBy(read), followUps);
    return null;
  }

  /**
   * Samples a turn and parses it. Afterwards its ids are kept only in the stream, so that neither the sampled lists nor their text use
   * memory for the rest of the rollout.
   */
  async #writtenTurn(streams: TokenStreams, room: number) {
    const { chat, clock, seedOf, settings } = this.#options;
    const started = clock.monotonic();
    const { current } = streams;
    const sampled = await sampleInTime(this.#options, {
      prompt: current.tokens,
      images: this.#images.all.map(({ file }) => file),
      maxTokens: Math.min(settings.maxResponseTokens, room, this.#sampleBudget()),
      seed: seedOf(this.turnCount),
    });
    this.#samplingMs += clock.monotonic() - started;
    current.addTurn(sampled.tokens, sampled.logprobs, sampled.sequenceId);
    const read = lastTurnReader(chat, current, this.#declared);
    const { parsed } = read();
    const isTruncated = sampled.stopReason === "length" && !parsed.ended;
    const calls = callsOf(parsed, this.#tools?.terminalTool ?? null);
    this.#turnFacts.push(turnFacts(sampled, { ...parsed, calls }, isTruncated));
    return { stopReason: sampled.stopReason, read, parsed, calls, isTruncated };
  }

  /** Tokens that the model may still write in this rollout. */
  #sampleBudget(): number {
    const { maxSampledTokens } = this.#options.settings;
    const sampled = this.#turnFacts.reduce((sum, turn) => sum + turn.sampledTokens, 0);
    return (maxSampledTokens ?? Number.POSITIVE_INFINITY) - sampled;
  }

  #limitReached(parsed: ParsedTurn, hasCalls: boolean, isTruncated: boolean): StopReason | null {
    const { settings } = this.#options;
    const isMalformed = !hasCalls && parsed.errors.length > 0;
    this.#parseErrorsInARow = isMalformed ? this.#parseErrorsInARow + 1 : 0;
    this.#noCallsInARow = hasCalls || isMalformed ? 0 : this.#noCallsInARow + 1;
    if (this.#sampleBudget() < 1) return "max_sampled_tokens";
    if (isTruncated && settings.onTurnTruncation === "stop") return "turn_truncated";
    if (this.#parseErrorsInARow >= settings.maxConsecutiveParseErrors) return "parse_error";
    return this.#noCallsInARow >= settings.maxNoToolTurns ? "no_tool_call" : null;
  }
}

/** A separate function, so that the closure keeps only the reader alive and not a turn's scope. */
function parsedBy(read: () => WrittenTurn): () => ParsedTurn {
  return () => read().parsed;
}
