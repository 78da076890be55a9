/** One rollout from its first attempt to its record: sessions, time limit, retries in fresh sessions, reward. */

import { sum } from "../../shared/mean.ts";
import type { Chat } from "../chat/chat.ts";
import type { PooledImage } from "../chat/imagePool.ts";
import { errorMessage } from "../errors.ts";
import type { Clock, Log, Random } from "../ports.ts";
import type { RolloutFacts } from "../runFolder/metrics/stepFacts.ts";
import { ENVIRONMENT_STOPS, type StopReason } from "../runFolder/metrics/stopReasons.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { meteredSampler } from "../tinker/metered.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { type MeteredUsage, UsageMeter } from "../usage/usageMeter.ts";
import type { WithTimerPaused } from "../util/withTimerPaused.ts";
import { type AcceptedAttempt, inFreshSessions } from "./attempts.ts";
import type { EnvironmentGate } from "./environmentGate.ts";
import {
  Episode,
  type EpisodeOptions,
  type PlayedEpisode,
  type RolloutEpisode,
} from "./episode.ts";
import { errorClass } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import { rewardFault, scoreRewards } from "./rewards.ts";
import type { RolloutSettings } from "./settings.ts";

/** Maximum length of a fault in a message. */
const MAX_FAULT_TEXT = 1_000;

/** Identifies a rollout. */
export interface RolloutTask {
  readonly step: number;
  /** Index of the group in its step, and of the rollout in its group. */
  readonly group: number;
  readonly rollout: number;
  /** Environment, split, index and position in the task sequence. */
  readonly taskKey: string;
  readonly environment: string;
  readonly split: string;
  readonly index: number;
}

export interface RolloutOptions {
  readonly gate: EnvironmentGate;
  readonly sampler: SamplingClient;
  readonly chat: Chat;
  readonly settings: RolloutSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Waits for a slot among the whole run's samples in flight. */
  readonly sampleSlot: (signal: AbortSignal) => Promise<() => void>;
  /** Wraps every wait for an environment that is full or failing. */
  readonly whileWaiting?: WithTimerPaused;
  /** Counts the rollout's tokens even if it is aborted; without it, only the rollout's facts have them. */
  readonly meter?: UsageMeter;
  /** As {@link EpisodeOptions.onMessages}. */
  readonly onMessages?: EpisodeOptions["onMessages"];
  /** Seed of a turn's sample, the same in each attempt; not sent when undefined. */
  readonly seedOf: (turn: number) => number | undefined;
  /** Creates the episode to play; by default the built-in loop of turns and tools. */
  readonly newEpisode?: ((options: EpisodeOptions) => RolloutEpisode) | undefined;
}

export interface FinishedRollout {
  readonly record: RolloutRecord;
  /** Its tokens, one ledger per stream; empty if the rollout ended before its first prompt. */
  readonly streams: readonly Ledger[];
  /** Images referenced by ids below 0. */
  readonly images: readonly PooledImage[];
  /** The reward is in the record. */
  readonly facts: Omit<
    RolloutFacts,
    "reward" | "isIncluded" | "isSent" | "successReward" | "advantage"
  >;
  /** Stack of the error that made it fail; null without an error. */
  readonly stack: string | null;
  /** Block types that its environment accepts to score the group; null when it is not scored with its group. */
  readonly scoredFrom: readonly string[] | null;
}

/** A rollout that is no longer playing. */
export interface EndedRollout extends Pick<FinishedRollout, "streams" | "scoredFrom"> {
  /** Creates its record, again on each call: a record's texts take as much memory as the tokens they are decoded from. */
  finish(): FinishedRollout;
}

interface LastAttempt extends AcceptedAttempt<StopReason> {
  readonly episode: RolloutEpisode | null;
  readonly stop: StopReason;
}

interface EndedAttempt extends LastAttempt {
  readonly usage: MeteredUsage;
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/**
 * Plays one rollout. Whatever the model or its environment does ends in a record. Throws only faults that affect the whole run (a refused
 * key, an unknown environment) and aborts through `signal`.
 */
export async function runRollout(
  options: RolloutOptions,
  task: RolloutTask,
  signal: AbortSignal,
): Promise<EndedRollout> {
  const { clock, meter = new UsageMeter(), settings } = options;
  const { newEpisode = (own: EpisodeOptions) => new Episode(own) } = options;
  const startedAtMs = clock.now();
  const started = clock.monotonic();
  const { environment } = task;
  const sampler = meteredSampler(options.sampler, meter);
  let begun: readonly RolloutEpisode[] = [];
  const onAttempt = (): void => {
    meter.discardAll();
    begun = [];
  };
  const name = `Rollout ${task.rollout} of ${task.taskKey}`;
  const last = await inFreshSessions(
    { ...options, task, name, signal, onAttempt },
    async (session, limit): Promise<StopReason> => {
      const episode = newEpisode({ ...options, sampler, session, environment, limit });
      begun = [episode];
      try {
        return await episode.play();
      } catch (error) {
        if (limit.isExpired()) return "rollout_timeout";
        throw error;
      }
    },
  );
  const durationMs = clock.monotonic() - started;
  const stop = last.hasGivenUp ? "max_retries" : (last.result ?? "error");
  const [episode = null] = begun;
  const played: LastAttempt = { ...last, episode, stop };
  const { usage } = meter;
  return {
    streams: episode?.streams ?? [],
    scoredFrom: scoredFrom(played, settings),
    finish: () => finish(task, { ...played, usage, startedAtMs, durationMs }, settings),
  };
}

const NOTHING_PLAYED: PlayedEpisode = {
  promptText: "",
  conversation: [],
  promptTokens: 0,
  tools: [],
  turns: [],
  turnFacts: [],
  toolFacts: [],
  rewards: [],
  images: [],
  streamBreaks: 0,
  observationTokens: 0,
  samplingMs: 0,
};

function finish(
  task: RolloutTask,
  result: EndedAttempt,
  settings: RolloutSettings,
): FinishedRollout {
  const { attempts, episode, stop, usage } = result;
  const streams = episode?.streams ?? [];
  const played = episode?.played ?? NOTHING_PLAYED;
  const { agent, rewards, turns, turnFacts } = played;
  const isFinished = stop === "reached_terminal_state";
  const rewardBreakdown = scoreRewards(rewards, isFinished, settings.rewards);
  const isPlayed = hasPlayed(result);
  const reward = isPlayed ? rewardBreakdown.clamped : null;
  const invalid = isPlayed ? rewardFault(rewardBreakdown, task.environment) : null;
  const error = result.error ?? invalid;
  const record: RolloutRecord = {
    ...task,
    attempt: attempts - 1,
    systemText: settings.systemPromptTemplate,
    promptText: played.promptText,
    conversation: played.conversation,
    tools: played.tools,
    turns,
    agent,
    images: [],
    rewards,
    rewardBreakdown,
    reward,
    stop,
    error: error === null ? null : errorMessage(error),
    startedAtMs: result.startedAtMs,
    durationMs: result.durationMs,
    beginning: {
      queuedMs: 0,
      retriedMs: Math.round(result.retriedMs),
      waitedMs: Math.round(result.waitedMs),
      openedMs: Math.round(result.openedInMs),
    },
  };
  const facts: FinishedRollout["facts"] = {
    environment: task.environment,
    group: task.group,
    stop,
    errorClass: errorClass(error),
    agentFailed: agent && agent.failure !== undefined,
    environmentFault: environmentFault(stop, turns),
    attempts,
    turns: turnFacts,
    turnRewards:
      played.turnRewards ??
      turns.map(({ results }) => sum(results.map(({ reward: own }) => own ?? 0))),
    tools: played.toolFacts,
    promptTokens: played.promptTokens,
    observationTokens: played.observationTokens,
    tokensLeft: tokensLeft(turnFacts, streams, settings),
    usage,
    streamBreaks: played.streamBreaks,
    queueS: 0,
    sessionS: result.sessionMs / 1000,
    samplingS: played.samplingMs / 1000,
  };
  return {
    record,
    streams,
    images: played.images,
    facts,
    stack: stackOf(error),
    scoredFrom: scoredFrom(result, settings),
  };
}

/** The last call of a rollout is the one that ended it. */
function environmentFault(stop: StopReason, turns: RolloutRecord["turns"]): string | undefined {
  if (!ENVIRONMENT_STOPS.has(stop)) return undefined;
  return turns.at(-1)?.results.at(-1)?.text.slice(0, MAX_FAULT_TEXT);
}

/** The rollout with its queueing time before it started. */
export function withQueueTimes(
  rollout: FinishedRollout,
  { beforeMs, totalMs }: { readonly beforeMs: number; readonly totalMs: number },
): FinishedRollout {
  const { record, facts } = rollout;
  const queuedMs = Math.round(beforeMs);
  return {
    ...rollout,
    facts: { ...facts, queueS: totalMs / 1000 },
    record: { ...record, beginning: { ...record.beginning, queuedMs } },
  };
}

function tokensLeft(
  turns: PlayedEpisode["turnFacts"],
  streams: readonly Ledger[],
  { maxResponseTokens, maxTotalTokens, maxSampledTokens }: RolloutSettings,
): number {
  const sampled = turns.map(({ sampledTokens }) => sampledTokens);
  return Math.min(
    maxResponseTokens - (sampled.at(-1) ?? 0),
    maxTotalTokens - Math.max(0, ...streams.map(({ length }) => length)),
    (maxSampledTokens ?? Number.POSITIVE_INFINITY) - sum(sampled),
  );
}

function hasPlayed({ episode, error }: LastAttempt): boolean {
  return error === null && episode !== null && episode.turnCount > 0;
}

function scoredFrom(result: LastAttempt, { groupScoring }: RolloutSettings) {
  return groupScoring && hasPlayed(result) ? (result.episode?.scoredFrom ?? null) : null;
}

/** The rollout with its group score, or failed if the environment gave none. */
export function withGroupScore(
  rollout: FinishedRollout,
  outcome: { readonly score: number } | { readonly error: unknown },
  rules: RolloutSettings["rewards"],
): FinishedRollout {
  const { record } = rollout;
  if ("error" in outcome) {
    const message = `The group could not be scored. ${errorMessage(outcome.error)}`;
    return withoutReward(rollout, outcome.error, message);
  }
  const rewards = record.rewards.map((reward) => reward ?? Number.NaN);
  const isFinished = record.stop === "reached_terminal_state";
  const rewardBreakdown = scoreRewards(rewards, isFinished, rules, outcome.score);
  const invalid = rewardFault(rewardBreakdown, record.environment);
  if (invalid !== null) {
    const scored = { ...rollout, record: { ...record, rewardBreakdown } };
    return withoutReward(scored, invalid, invalid.message);
  }
  return { ...rollout, record: { ...record, rewardBreakdown, reward: rewardBreakdown.clamped } };
}

function withoutReward(rollout: FinishedRollout, fault: unknown, error: string): FinishedRollout {
  const { record, facts } = rollout;
  return {
    ...rollout,
    record: { ...record, reward: null, error },
    facts: { ...facts, errorClass: errorClass(fault) },
    stack: stackOf(fault),
  };
}

function stackOf(error: unknown): string | null {
  return error instanceof Error ? (error.stack ?? null) : null;
}
