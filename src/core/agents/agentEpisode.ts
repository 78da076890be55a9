/**
 * One attempt at a rollout that an agent plays: its program requests turns of the policy through an endpoint and calls the session's
 * tools, until it ends or a limit is reached.
 */

import { sum } from "../../shared/mean.ts";
import { partsOf, shownContent } from "../chat/content.ts";
import { ImagePool } from "../chat/imagePool.ts";
import type { InitialMessage, ToolCall, ToolDeclaration } from "../chat/renderer.ts";
import type { EndpointModel, PolicyTurn, TurnNeeds } from "../endpoint/endpointModel.ts";
import type { EndpointRequest } from "../endpoint/endpointRequest.ts";
import { messageKeys } from "../endpoint/messageKeys.ts";
import { type PendingTurn, PolicyThreads } from "../endpoint/policyThreads.ts";
import { endpointRefusal, type RequestRefusal, refusalOf } from "../endpoint/refusal.ts";
import { MAX_REQUESTS, MAX_WAITING, tooManyRequests } from "../endpoint/requestLimits.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import type { ToolList } from "../openreward/types.ts";
import type { Sha256 } from "../ports.ts";
import { printedText } from "../rollout/agentFailure.ts";
import { promptText, storedConversation, toInitialMessages } from "../rollout/conversation.ts";
import type { EpisodeOptions, PlayedEpisode, RolloutEpisode } from "../rollout/episode.ts";
import { EpisodeCalls, MAX_PARALLEL_CALLS } from "../rollout/episodeCalls.ts";
import { storedTools } from "../rollout/episodeRecord.ts";
import type { Ledger } from "../rollout/ledger.ts";
import { MAX_REWARD } from "../rollout/rewards.ts";
import type { RolloutTask } from "../rollout/rollout.ts";
import { IMAGE_PLACEHOLDER, MAX_IMAGES, RolloutImages } from "../rollout/rolloutImages.ts";
import { callsOf, type ToolAnswer } from "../rollout/runCalls.ts";
import { sampleInTime } from "../rollout/sampleTurn.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { type LinkedSignal, linkSignals } from "../util/abort.ts";
import { parseJson } from "../util/jsonl.ts";
import { Limiter } from "../util/limiter.ts";
import type { Agent, AgentEnd, SessionTools, ToolReply } from "./agent.ts";
import { AgentTurns } from "./agentTurns.ts";

interface AgentEpisodeOptions extends EpisodeOptions {
  readonly agent: Agent;
  readonly task: Pick<RolloutTask, "split" | "index">;
  readonly sha256: Sha256;
}

/** Maximum conversations, tokens and images of an agent in a rollout. */
const LIMITS = { threads: 256, tokens: 4_000_000, images: MAX_IMAGES, whenFull: "refuse" } as const;
const ROLLOUT_ENDED = "rollout_ended";
/** Seed offsets between repeated requests with the same messages, and between conversations that start differently. */
const REPEATS = 2 ** 16;
const OPENINGS = 2 ** 32;
/** Maximum number of distinct refusals in a record. */
const MAX_REFUSALS = 16;

export class AgentEpisode implements RolloutEpisode {
  #promptText = "";
  #promptTokens = 0;
  #samplingMs = 0;
  /** The first messages to the model. */
  #conversation: RolloutRecord["conversation"] = [];
  readonly #options: AgentEpisodeOptions;
  /** Images of the environment and of the agent's requests. */
  readonly #pool: ImagePool;
  readonly #images: RolloutImages;
  readonly #calls: EpisodeCalls;
  readonly #threads: PolicyThreads;
  readonly #turns: AgentTurns;
  /** Aborted to end the agent, for the reason in {@link #stop} or {@link #fault}. */
  readonly #ending: LinkedSignal;
  readonly #requests: Limiter;
  readonly #callPlaces: Limiter;
  /** Digest of the task's first message. */
  #taskOpening = "";
  /** Repeat numbers in use, by the messages of the request. */
  readonly #asked = new Map<string, Set<number>>();
  readonly #refusals = new Map<string, number>();
  readonly #printedRewards: number[] = [];
  #callIds = 0;
  #callsUnderWay = 0;
  /** True once a call has ended the episode. */
  #isOver = false;
  #tools: ToolList | null = null;
  /** Tools of the first request. */
  #declared: readonly ToolDeclaration[] = [];
  #stop: StopReason | null = null;
  #fault: unknown = null;
  /** Whether the last request was refused because its conversation is too long. */
  #isTooLong = false;
  #isTruncated = false;
  #agentEnd: AgentEnd | null = null;
  /** True once the grading program was started. */
  #isGraded = false;
  /** Why the agent counts as failed. */
  #failure: string | undefined;

  constructor(options: AgentEpisodeOptions) {
    const { chat, limit, settings, sha256 } = options;
    const { systemPromptTemplate, maxTotalTokens, onImage, parallelToolCalls } = settings;
    this.#options = options;
    this.#pool = new ImagePool(chat.images);
    this.#images = new RolloutImages({ ...options, pool: this.#pool });
    this.#ending = linkSignals([limit.signal]);
    this.#turns = new AgentTurns(chat);
    // A call still running at the end must not add a reward to a rollout that is over.
    const callLimit = { signal: this.#ending.signal, withTimerPaused: limit.withTimerPaused };
    this.#calls = new EpisodeCalls({ ...options, limit: callLimit }, this.#images);
    this.#requests = new Limiter(this.#requestsAtOnce());
    this.#callPlaces = new Limiter(parallelToolCalls ? MAX_PARALLEL_CALLS : 1);
    this.#threads = new PolicyThreads({
      chat,
      images: this.#pool,
      imagePlaceholder: onImage === "placeholder" ? IMAGE_PLACEHOLDER : undefined,
      systemPromptTemplate,
      maxTotalTokens,
      sha256,
      newCallId: () => `call_${this.#callIds++}`,
      limits: LIMITS,
    });
  }

  get streams(): readonly Ledger[] {
    return this.#threads.streams;
  }

  get turnCount(): number {
    return this.#turns.count;
  }

  get played(): PlayedEpisode {
    const isOfSession = this.#options.agent.settings.reward === "session";
    return {
      promptText: this.#promptText,
      conversation: this.#conversation,
      promptTokens: this.#promptTokens,
      tools: storedTools(this.#declared),
      turns: this.#turns.records,
      turnFacts: this.#turns.facts,
      toolFacts: this.#calls.facts,
      rewards: isOfSession ? this.#calls.rewards : this.#printedRewards,
      turnRewards: isOfSession ? undefined : this.#turns.rewardsAtEnd(sum(this.#printedRewards)),
      images: this.#pool.all,
      streamBreaks: Math.max(0, this.streams.length - 1),
      observationTokens: this.#threads.observationTokens,
      samplingMs: this.#samplingMs,
      agent: this.#agent,
    };
  }

  get scoredFrom(): readonly string[] | null {
    return this.#tools?.supportsGroupScoring ? this.#tools.messageBlockTypes : null;
  }

  /** How the agent's program ended, and which requests were refused. */
  get #agent(): RolloutRecord["agent"] {
    const refusals = [...this.#refusals].map(([message, count]) => ({ message, count }));
    const { code = null, output = "" } = this.#agentEnd ?? {};
    return { exit: code === null ? null : String(code), output, refusals, failure: this.#failure };
  }

  async play(): Promise<StopReason> {
    try {
      return await this.#play();
    } finally {
      // A request still running must not add to a rollout that is over.
      this.#ending.abort(new AppError("stopped", "The rollout has ended."));
      this.#ending.clear();
    }
  }

  async #play(): Promise<StopReason> {
    const { agent, limit, session, environment, task } = this.#options;
    // Both wait for the environment's setup, which is not the rollout's own time.
    const [tools, prompt] = await limit.withTimerPaused(async () => [
      await session.tools(limit),
      await session.prompt(limit),
    ]);
    this.#tools = tools;
    const messages = toInitialMessages(prompt, (blocks) => this.#images.read(blocks));
    this.#promptText = promptText(messages);
    this.#taskOpening = messageKeys(messages, this.#pool.files, this.#options.sha256)[0] ?? "";
    const { split, index } = task;
    const images = this.#pool.files;
    const own = { environment, split, index, prompt: this.#promptText, messages, images };
    const { timeoutMs: limitMs } = agent.settings;
    const onLimit = (): Error =>
      new AppError("agent-failed", this.#timeoutText(limitMs, "agent.timeout"));
    let end: AgentEnd;
    try {
      // Waits for services count toward neither the agent's time nor the rollout's.
      end = await limit.runPart({ limitMs, onLimit, isPausedWithWhole: true }, () =>
        agent.run({
          task: { ...own, tools: tools.tools },
          model: this.#model,
          tools: this.#sessionTools(tools),
          signal: this.#ending.signal,
          graded: (ended, run) => this.#graded(ended, run),
        }),
      );
    } catch (error) {
      return this.#endedBy(error);
    }
    this.#agentEnd = end;
    if (limit.signal.aborted) return this.#endedBy(limit.signal.reason);
    return await this.#ended(end);
  }

  /** Why the agent was ended. @throws the fault of a service, of an agent without a turn of the model, or of the grader */
  #endedBy(error: unknown): StopReason {
    if (this.#fault !== null) throw this.#fault;
    if (this.#isGraded) throw error;
    if (this.#stop !== null) return this.#afterTurn(this.#stop);
    const { limit, settings } = this.#options;
    if (isAppError(error, "agent-failed")) {
      this.#failure = error.message;
      if (this.turnCount > 0) return "agent_timeout";
    }
    if (limit.isExpired()) {
      this.#failure = this.#timeoutText(settings.rolloutTimeoutMs, "rollout_timeout");
    }
    throw error;
  }

  /** Outcome of an agent that ended by itself. @throws AppError `agent-failed`, `agent-reward` */
  async #ended(end: AgentEnd): Promise<StopReason> {
    if (this.#fault !== null) throw this.#fault;
    const { environment, agent } = this.#options;
    if (end.grader === undefined) {
      if (this.#stop !== null) return this.#afterTurn(this.#stop);
      if (this.turnCount === 0) throw this.#withoutTurn(end);
      if (end.code !== 0) return this.#isTooLong ? "max_tokens" : this.#failed(end);
      if (agent.settings.reward === "session") return await this.#finalMessage();
    }
    this.#printedRewards.push(readAgentReward(end, environment));
    return this.#stop ?? (end.code === 0 ? "reached_terminal_state" : "max_tokens");
  }

  #failed(end: AgentEnd): StopReason {
    const { environment, agent } = this.#options;
    const reward = agent.settings.reward === "output" ? rewardIn(end.rewardLine) : null;
    const dropped = reward === null ? "" : ` Its reward ${reward} does not count: it needs code 0.`;
    this.#failure = `The agent of ${environment} ended ${howEnded(end)}.${dropped}`;
    return "agent_failed";
  }

  /** Runs the grader, unless the agent failed or never used the model. */
  async #graded(end: AgentEnd, run: (signal: AbortSignal) => Promise<AgentEnd>): Promise<AgentEnd> {
    const { agent, environment, limit, settings } = this.#options;
    const { timeoutMs } = agent.settings;
    const isOver = end.code === 0 || this.#stop !== null || this.#isTooLong;
    const isFault = this.#fault !== null || limit.signal.aborted;
    if (!isOver || isFault || this.turnCount === 0) return end;
    this.#isGraded = true;
    const limitMs = timeoutMs ?? settings.rolloutTimeoutMs;
    const key = timeoutMs === null ? "rollout_timeout" : "agent.timeout";
    const onLimit = (): Error =>
      new AppError(
        "agent-reward",
        `The reward_command of ${environment} took longer than ${limitMs / 1000} s, its own time after the agent (${key}).`,
        { configPath: `environments.${environment}.agent.reward_command` },
      );
    const grader = await limit.withTimerPaused(() =>
      limit.runPart({ limitMs, onLimit }, () => run(limit.signal)),
    );
    const output = `${end.output}${grader.output}`;
    return { ...end, output, rewardLine: grader.code === 0 ? grader.rewardLine : null, grader };
  }

  /** The stop reason, unless the agent caused it with only its own calls. @throws AppError `agent-failed` */
  #afterTurn(stop: StopReason): StopReason {
    if (this.turnCount > 0) return stop;
    throw this.#withoutTurn(this.#agentEnd ?? { code: null, output: "", rewardLine: null });
  }

  /** Sends the last message to an environment that grades final messages. */
  async #finalMessage(): Promise<StopReason> {
    const last = this.#turns.last;
    const terminal = this.#tools?.terminalTool ?? null;
    if (last === null || terminal === null || last.parsed.calls.length > 0) return "agent_ended";
    const [call] = callsOf(last.parsed, terminal);
    const answers: ToolAnswer[] = [];
    const stop = call === undefined ? null : await this.#calls.runAll([call], answers);
    for (const { record } of answers) this.#turns.answered(record);
    return stop ?? "agent_ended";
  }

  #withoutTurn(end: AgentEnd): AppError {
    const { environment } = this.#options;
    const { output } = end;
    const [refused] = this.#refusals.keys();
    const how =
      this.#stop === null ? `ended ${howEnded(end)}` : `ended the rollout by its own tool calls`;
    const why = refused === undefined ? "" : ` Its request was refused: ${refused}`;
    this.#failure = `The agent of ${environment} ${how} without a turn of the model.${why}`;
    return new AppError("agent-failed", `${this.#failure}${printedText(output)}`, {
      configPath: `environments.${environment}.agent.command`,
    });
  }

  #timeoutText(limitMs: number | null, key: string): string {
    const { environment } = this.#options;
    return `The agent of ${environment} took longer than ${(limitMs ?? 0) / 1000} s (${key}).`;
  }

  readonly #model: EndpointModel = {
    countTokens: (request) => this.#threads.countTokens(request),
    turn: async (request, needs) => {
      try {
        const turn = await this.#turn(request, needs);
        this.#isTooLong = false;
        return turn;
      } catch (error) {
        this.#isTooLong = isAppError(error, "prompt-too-long");
        if (refusalOf(error) !== null) throw error;
        // An abort at the end of the rollout or of the request is not a fault.
        if (this.#ending.signal.aborted) {
          throw endpointRefusal(errorMessage(error), { code: ROLLOUT_ENDED });
        }
        if (!needs.signal.aborted) this.#fail(error);
        throw error;
      }
    },
    onRefused: (refusal) => this.#refused(refusal),
  };

  #refused({ message, code }: RequestRefusal): void {
    if (code === ROLLOUT_ENDED) return;
    const count = this.#refusals.get(message) ?? 0;
    if (count === 0 && this.#refusals.size >= MAX_REFUSALS) return;
    this.#refusals.set(message, count + 1);
  }

  #fail(fault: unknown): void {
    this.#fault ??= fault;
    this.#ending.abort(fault);
  }

  /** Ends the agent, which gets no more turns. */
  #end(stop: StopReason): void {
    this.#stop ??= stop;
    this.#ending.abort(new AppError("stopped", `The rollout has ended: ${stop}.`));
  }

  /** @throws AppError `endpoint-refused` once a limit of the rollout is reached */
  #requireLeft(): void {
    const { maxTurns, onTurnTruncation } = this.#options.settings;
    if (this.turnCount >= maxTurns) this.#end("max_turns");
    else if (this.#sampleBudget() < 1) this.#end("max_sampled_tokens");
    else if (this.#isTruncated && onTurnTruncation === "stop") this.#end("turn_truncated");
    if (this.#ending.signal.aborted) {
      throw endpointRefusal("The rollout has ended.", { code: ROLLOUT_ENDED });
    }
  }

  /** As many requests as the rollout's limits allow even if each samples the maximum; others wait. */
  #requestsAtOnce(): number {
    const { maxTurns, maxResponseTokens } = this.#options.settings;
    const turns = maxTurns - this.turnCount;
    const samples = Math.floor(this.#sampleBudget() / maxResponseTokens);
    return Math.max(1, Math.min(MAX_REQUESTS, turns, samples));
  }

  #sampleBudget(): number {
    const { maxSampledTokens } = this.#options.settings;
    return (maxSampledTokens ?? Number.POSITIVE_INFINITY) - this.#turns.sampledTokens;
  }

  async #turn(request: EndpointRequest, { signal }: TurnNeeds): Promise<PolicyTurn> {
    if (this.#requests.waiting >= MAX_WAITING) throw tooManyRequests();
    const release = await this.#requests.acquire({ signal });
    try {
      this.#requireLeft();
      const pending = await this.#threads.begin(request);
      return await this.#sampled(request, pending, signal);
    } finally {
      release();
    }
  }

  async #sampled(
    request: EndpointRequest,
    pending: PendingTurn,
    signal: AbortSignal,
  ): Promise<PolicyTurn> {
    const { chat, clock, seedOf, settings } = this.#options;
    const { prompt, images, messages, room, continued } = pending;
    const startedAtMs = clock.now();
    if (continued !== null) this.#turns.continued(continued, startedAtMs);
    if (continued?.turn === this.turnCount - 1) this.#options.onMessages?.(continued.news, false);
    else this.#options.onMessages?.(messages, true);
    const started = clock.monotonic();
    const { repeats, giveBack } = this.#repeat(pending.context);
    try {
      const asked = request.sampling.maxTokens ?? settings.maxResponseTokens;
      const maxTokens = Math.min(asked, settings.maxResponseTokens, room, this.#sampleBudget());
      const seed = seedOf(this.#seedTurn(pending) + repeats * REPEATS);
      const until = AbortSignal.any([signal, this.#ending.signal]);
      const drawn = await sampleInTime(this.#options, { prompt, images, maxTokens, seed }, until);
      until.throwIfAborted();
      const finished = pending.finish(drawn);
      const samplingMs = Math.round(clock.monotonic() - started);
      this.#samplingMs += samplingMs;
      const times = { startedAtMs, samplingMs };
      // Among concurrent requests, the first one answered starts the rollout.
      if (this.turnCount === 0) this.#begins(messages, request.tools, prompt.length);
      const own = { messages, tools: request.tools };
      this.#isTruncated = this.#turns.add(finished, own, times);
      this.#requests.resize(this.#requestsAtOnce());
      const { answer, sampled } = finished;
      return { ...answer, prompt, sampled, cachedTokens: 0, tokenizer: chat.tokenizer };
    } catch (error) {
      pending.abandon();
      giveBack();
      throw error;
    }
  }

  /**
   * Turn number for the seed: the depth, as in the built-in loop, offset by how the conversation starts if it is not the task. Otherwise
   * a sub-agent would get the same random draws as its caller.
   */
  #seedTurn({ depth, opening }: PendingTurn): number {
    const isTask = opening === this.#taskOpening;
    return isTask ? depth : depth + Number.parseInt(opening.slice(0, 5), 16) * OPENINGS;
  }

  #begins(
    messages: readonly InitialMessage[],
    tools: readonly ToolDeclaration[],
    promptTokens: number,
  ): void {
    this.#declared = tools;
    this.#promptTokens = promptTokens;
    const [only] = messages;
    // A record without a conversation means that the model was asked exactly the task's prompt.
    const shown = only?.role === "user" ? shownContent(only) : null;
    this.#conversation =
      messages.length === 1 && shown !== null && shown !== this.#promptText
        ? [{ type: "user_message", content: shown }]
        : storedConversation(messages);
  }

  /** The lowest repeat number not in use for the same messages, so that the seed depends on what is asked and not on when. */
  #repeat(context: string): { readonly repeats: number; readonly giveBack: () => void } {
    const taken = this.#asked.get(context) ?? new Set<number>();
    this.#asked.set(context, taken);
    let repeats = 0;
    while (taken.has(repeats)) repeats += 1;
    taken.add(repeats);
    return { repeats, giveBack: () => taken.delete(repeats) };
  }

  #sessionTools({ tools }: ToolList): SessionTools {
    return {
      all: tools,
      call: async (name, args) => {
        const release = await this.#callPlaces.acquire({ signal: this.#ending.signal });
        try {
          return await this.#called({ name, args, raw: "" });
        } finally {
          release();
        }
      },
    };
  }

  async #called(call: ToolCall): Promise<ToolReply> {
    if (this.#ending.signal.aborted) throw endpointRefusal("The rollout has ended.");
    const answers: ToolAnswer[] = [];
    this.#callsUnderWay += 1;
    try {
      const stop = await this.#calls.runAll([call], answers);
      this.#isOver ||= stop === "reached_terminal_state";
      for (const { record } of answers) this.#turns.ran(call, record);
      const isOfSession = this.#options.agent.settings.reward === "session";
      // If the agent's own output is its reward, it continues after the end of the episode.
      if (stop !== null && (isOfSession || stop !== "reached_terminal_state")) this.#end(stop);
    } catch (error) {
      // Another call has ended the episode, or is about to.
      const isLate = this.#isOver || this.#callsUnderWay > 1;
      if (isLate && isAppError(error, "rollout-after-end")) {
        return { parts: ["Not run: the episode is over."], isError: true };
      }
      if (!this.#ending.signal.aborted) this.#fail(error);
      throw error;
    } finally {
      this.#callsUnderWay -= 1;
    }
    const [answer] = answers;
    const parts = partsOf(answer?.said ?? { content: "" }).map((part) => {
      return typeof part === "string" ? part : this.#pool.fileOf(part);
    });
    return { parts, isError: answer?.record.isError ?? true };
  }
}

function howEnded({ code }: AgentEnd): string {
  return typeof code === "number" ? `with code ${code}` : `by ${code}`;
}

/** The reward in the last line, a number or a JSON object with the number `reward`; null if it is neither. */
function rewardIn(line: string | null): number | null {
  const value = line === null ? undefined : parseJson(line)?.value;
  const reward = isJsonObject(value) ? value["reward"] : value;
  return typeof reward === "number" && Number.isFinite(reward) ? reward : null;
}

/** @throws AppError `agent-reward` */
function readAgentReward({ rewardLine: line, grader }: AgentEnd, environment: string): number {
  const reward = rewardIn(line);
  if (reward !== null && Math.abs(reward) <= MAX_REWARD) return reward;
  const said = printedText(line ?? grader?.output ?? "") || " It printed nothing";
  const who = grader === undefined ? "The agent" : "The reward_command";
  const isFailure = grader !== undefined && grader.code !== 0;
  const how = isFailure ? ` with code ${grader.code}` : "";
  const what = reward === null ? "a reward" : `a reward of at most ${MAX_REWARD} in size`;
  const wanted = 'Its last line must be a number, or JSON such as {"reward": 1}.';
  const key = grader === undefined ? "agent" : "agent.reward_command";
  throw new AppError(
    "agent-reward",
    `${who} of ${environment} ended${how} without ${what}.${said}${isFailure ? "" : `. ${wanted}`}`,
    { configPath: `environments.${environment}.${key}` },
  );
}
