/** One attempt at a rollout: a session with an environment, turn by turn, until a stop reason ends it. */

import type { Chat } from "../chat/chat.ts";
import { declareTool } from "../chat/firstPrompt.ts";
import type {
  FollowUp,
  InitialMessage,
  ParsedTurn,
  ToolCall,
  ToolDeclaration,
} from "../chat/renderer.ts";
import { AppError, isAppError } from "../errors.ts";
import type { EnvironmentSession, ToolCallOutcome, ToolList } from "../openreward/types.ts";
import type { Clock } from "../ports.ts";
import type { ToolCallFacts, TurnFacts } from "../runFolder/metrics/stepFacts.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { type Deadline, timeoutError } from "../util/abort.ts";
import { Limiter } from "../util/limiter.ts";
import { promptText, storedConversation } from "./conversation.ts";
import {
  lastTurnReader,
  storedTools,
  type TurnOutcome,
  type TurnRecord,
  textsOf,
  turnFacts,
  turnRecord,
  type WrittenTurn,
} from "./episodeRecord.ts";
import { policyOutcome } from "./faults.ts";
import { followUpsTo } from "./feedback.ts";
import type { Ledger } from "./ledger.ts";
import { type RenderedTask, renderTask } from "./renderTask.ts";
import { type RolloutImage, RolloutImages } from "./rolloutImages.ts";
import { type SampledTurn, sampleTurn, stopsOf } from "./sampleTurn.ts";
import type { RolloutSettings } from "./settings.ts";
import { TokenStreams } from "./tokenStreams.ts";
import {
  callsOf,
  refusedAnswer,
  runCall,
  type ToolAnswer,
  toolAnswer,
  unanswered,
} from "./toolCalls.ts";

export interface EpisodeOptions {
  readonly session: EnvironmentSession;
  readonly sampler: SamplingClient;
  readonly chat: Chat;
  readonly clock: Clock;
  readonly settings: RolloutSettings;
  /** Name for messages. */
  readonly environment: string;
  /** Seed of a turn's sample; undefined = not sent. */
  readonly seedOf: (turn: number) => number | undefined;
  /** Waits for a place among the samples in flight; returns what gives it back. */
  readonly sampleSlot: (signal: AbortSignal) => Promise<() => void>;
  /** Called with the messages to the model: the opening ones, and what follows each of its turns but the last. */
  readonly onMessages?: ((messages: readonly (InitialMessage | FollowUp)[]) => void) | undefined;
  /** Its end aborts the attempt; what has been played so far stays. Waits that are nobody's fault pause it. */
  readonly limit: Deadline;
}

/** What a sample's time limit is called in messages. */
const SAMPLE_LIMIT = "A sample (sampling_timeout)";

/** Calls of a turn that are under way at once. */
const MAX_PARALLEL_CALLS = 8;

/** A call that was run: what came back, or why nothing did. */
type RanCall = { readonly durationS: number } & (
  | { readonly outcome: ToolCallOutcome }
  | { readonly error: unknown }
);

/** What a call brought, and what ends the rollout with it. */
interface CallEnd {
  readonly answer: ToolAnswer;
  readonly stop: StopReason | null;
}

/** A turn that was played. */
interface PlayedTurn {
  readonly read: () => WrittenTurn;
  readonly outcome: TurnOutcome;
}

export class Episode {
  readonly #turns: PlayedTurn[] = [];
  readonly turnFacts: TurnFacts[] = [];
  readonly toolFacts: ToolCallFacts[] = [];
  readonly rewards: number[] = [];
  promptText = "";
  conversation: RolloutRecord["conversation"] = [];
  promptTokens = 0;
  samplingMs = 0;
  #streams: TokenStreams | null = null;
  readonly #options: EpisodeOptions;
  readonly #images: RolloutImages;
  #tools: ToolList | null = null;
  /** The same, for the parser. */
  #declared: readonly ToolDeclaration[] = [];
  #toolCalls = 0;
  /** Whether the call before this one took too long. */
  #timedOut = false;
  #parseErrorsInARow = 0;
  #noCallsInARow = 0;

  constructor(options: EpisodeOptions) {
    this.#options = options;
    this.#images = new RolloutImages(options);
  }

  /** The tokens so far, one ledger for each stream; none before the first prompt. */
  get streams(): readonly Ledger[] {
    return this.#streams?.all ?? [];
  }

  get turnCount(): number {
    return this.#turns.length;
  }

  /** Made anew each time. */
  get turns(): readonly TurnRecord[] {
    return this.#turns.map(({ read, outcome }) => turnRecord(read(), outcome));
  }

  /** Those that the environment sent, in the order in which the model sees them. */
  get images(): readonly RolloutImage[] {
    return this.#images.all;
  }

  get streamBreaks(): number {
    return this.#streams?.breaks ?? 0;
  }

  get observationTokens(): number {
    return this.#streams?.observationTokens ?? 0;
  }

  /** What the model could call, for its record. */
  get offeredTools(): RolloutRecord["tools"] {
    return storedTools(this.#tools?.tools ?? []);
  }

  /** Types of the blocks that the environment takes to score a group; null when it scores none. */
  get scoredFrom(): readonly string[] | null {
    return this.#tools?.supportsGroupScoring ? this.#tools.messageBlockTypes : null;
  }

  /** Plays to the end. Faults of services are thrown; what the model does wrong is not a fault. */
  async play(): Promise<StopReason> {
    const streams = await this.#open();
    const { maxTotalTokens } = this.#options.settings;
    if (this.promptTokens >= maxTotalTokens) throw this.#noRoom(this.promptTokens);
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
    // Both wait for the environment's set-up, which is not the rollout's own time.
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
    this.promptText = promptText(task);
    this.conversation = storedConversation(task);
    this.#options.onMessages?.(rendered.first.messages);
    this.#declared = rendered.tools.map(declareTool);
    this.promptTokens = rendered.tokens.length;
    this.#requireRoomOfTeacher(rendered);
    this.#streams = new TokenStreams(chat, rendered);
    return this.#streams;
  }

  #noRoom(tokens: number): AppError {
    const { environment, settings } = this.#options;
    return new AppError(
      "prompt-too-long",
      `The first prompt of ${environment} has ${tokens} tokens, which leaves no room within max_total_tokens: ${settings.maxTotalTokens}. Raise max_total_tokens, or choose other tasks.`,
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
      stop = await this.#runCalls(calls, answers);
      if (stop === null) {
        followUps = followUpsTo(parsed, answers);
        stop = this.#limitReached(parsed, calls.length > 0, isTruncated);
      }
    } finally {
      // Also when a call is cut off: the record must hold every turn that the streams hold.
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
    this.#options.onMessages?.(followUps);
    await streams.continue(Array.from(streams.current.lastTurn), parsedBy(read), followUps);
    return null;
  }

  /**
   * Samples a turn and reads it. From then on its ids stand in the stream alone: neither the lists that came nor their text take memory
   * while the rollout goes on.
   */
  async #writtenTurn(streams: TokenStreams, room: number) {
    const { chat, clock } = this.#options;
    const started = clock.monotonic();
    const sampled = await this.#sample(streams.current, room);
    this.samplingMs += clock.monotonic() - started;
    streams.addTurn(sampled.tokens, sampled.logprobs);
    const read = lastTurnReader(chat, streams.current, this.#declared);
    const { parsed } = read();
    const isTruncated = sampled.stopReason === "length" && !parsed.ended;
    const calls = callsOf(parsed, this.#tools?.terminalTool ?? null);
    this.turnFacts.push(turnFacts(sampled, { ...parsed, calls }, isTruncated));
    return { stopReason: sampled.stopReason, read, parsed, calls, isTruncated };
  }

  /** Tokens that the model may still write in this rollout. */
  #sampleBudget(): number {
    const { maxSampledTokens } = this.#options.settings;
    const sampled = this.turnFacts.reduce((sum, turn) => sum + turn.sampledTokens, 0);
    return (maxSampledTokens ?? Number.POSITIVE_INFINITY) - sampled;
  }

  async #sample(ledger: Ledger, room: number): Promise<SampledTurn> {
    const { chat, limit, sampler, sampleSlot, seedOf, settings } = this.#options;
    const { signal } = limit;
    const request = {
      prompt: ledger.tokens,
      images: this.#images.all.map(({ file }) => file),
      maxTokens: Math.min(settings.maxResponseTokens, room, this.#sampleBudget()),
      temperature: settings.temperature,
      topK: settings.topK,
      topP: settings.topP,
      seed: seedOf(this.turnCount),
      stop: stopsOf(chat.renderer),
    };
    const release = await limit.withTimerPaused(() => sampleSlot(signal));
    const limitMs = settings.samplingTimeoutMs;
    const onLimit = (): Error => timeoutError(SAMPLE_LIMIT, limitMs);
    try {
      return await limit.runPart({ limitMs, onLimit }, (withSampleTimerPaused) =>
        sampleTurn(sampler, request, {
          signal,
          recomputesLogprobs: settings.recomputesLogprobs,
          withTimerPaused: (wait) => limit.withTimerPaused(() => withSampleTimerPaused(wait)),
        }),
      );
    } finally {
      release();
    }
  }

  /**
   * Runs calls one after the other, or at once with `parallel_tool_calls`, none beyond the limit of calls. Answers and rewards count in the
   * order of the calls, up to the one that finished the episode.
   */
  async #runCalls(calls: readonly ToolCall[], answers: ToolAnswer[]): Promise<StopReason | null> {
    const { maxToolCalls, parallelToolCalls } = this.#options.settings;
    const left = (maxToolCalls ?? Number.POSITIVE_INFINITY) - this.#toolCalls;
    const ran = parallelToolCalls ? await this.#runAtOnce(calls.slice(0, left)) : [];
    for (const [position, call] of calls.entries()) {
      this.#toolCalls += 1;
      const { answer, stop } = this.#endOf(call, ran[position] ?? (await this.#run(call)), ran);
      answers.push(answer);
      if (stop !== null) return stop;
      if (maxToolCalls !== null && this.#toolCalls >= maxToolCalls) return "max_tool_calls";
    }
    return null;
  }

  async #runAtOnce(calls: readonly ToolCall[]): Promise<readonly RanCall[]> {
    const places = new Limiter(MAX_PARALLEL_CALLS);
    return await Promise.all(
      calls.map(async (call) => {
        const release = await places.acquire();
        return await this.#run(call).finally(release);
      }),
    );
  }

  async #run(call: ToolCall): Promise<RanCall> {
    const { clock } = this.#options;
    const started = clock.monotonic();
    const durationS = (): number => (clock.monotonic() - started) / 1000;
    try {
      const outcome = await runCall(call, this.#options);
      return { outcome, durationS: durationS() };
    } catch (error) {
      return { error, durationS: durationS() };
    }
  }

  /** `others` ran at the same time. */
  #endOf(call: ToolCall, ran: RanCall, others: readonly RanCall[]): CallEnd {
    const end =
      "error" in ran
        ? this.#unanswered(call, ran.error)
        : this.#answered(call, ran.outcome, others.some(hasFinished));
    const { isError } = end.answer.record;
    this.toolFacts.push({ name: call.name, isError, durationS: ran.durationS });
    return end;
  }

  #answered(call: ToolCall, outcome: ToolCallOutcome, isOvertaken: boolean): CallEnd {
    this.#timedOut = false;
    // A call beside it has ended the episode first, so the environment did not run this one.
    if (isOvertaken && outcome.kind === "rejected" && outcome.reason === "episode_finished") {
      return { answer: refusedAnswer(call, outcome.error), stop: null };
    }
    if (outcome.kind === "result" && outcome.reward !== null) this.rewards.push(outcome.reward);
    const answer = toolAnswer(call, outcome, this.#images);
    return { answer, stop: answer.record.finished ? "reached_terminal_state" : null };
  }

  /** A call without an answer that the policy caused ends the rollout; after one that took too long it may go on, once. */
  #unanswered(call: ToolCall, error: unknown): CallEnd {
    const { settings } = this.#options;
    const stop = policyOutcome(error, "call");
    if (stop === null || !isAppError(error)) throw error;
    const answer = unanswered(call, error, settings);
    const isTold =
      stop === "tool_timeout" && settings.onToolTimeout === "answer" && !this.#timedOut;
    this.#timedOut = true;
    return { answer, stop: isTold ? null : stop };
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

function hasFinished(ran: RanCall): boolean {
  return "outcome" in ran && ran.outcome.kind === "result" && ran.outcome.finished;
}

/** Holds nothing but the reader, unlike a function in a turn's own scope. */
function parsedBy(read: () => WrittenTurn): () => ParsedTurn {
  return () => read().parsed;
}
