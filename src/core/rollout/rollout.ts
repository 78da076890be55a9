/** One rollout from its first attempt to its record: sessions, time limit, retries in fresh sessions, reward. */

import type { Renderer } from "../chat/renderer.ts";
import type { Tokenizer } from "../chat/tokenizer.ts";
import { errorMessage, isAppError } from "../errors.ts";
import type { Clock, Log, Random } from "../ports.ts";
import type { RolloutRecord } from "../run/rolloutRecord.ts";
import type { RolloutFacts } from "../run/stepFacts.ts";
import type { StopReason } from "../run/stopReasons.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { type Deadline, deadline, tookTooLong } from "../util/abort.ts";
import type { PausedWhile } from "../util/pausedWhile.ts";
import { Attempts } from "./attempts.ts";
import type { EnvironmentGate, OpenedSession } from "./environmentGate.ts";
import { Episode } from "./episode.ts";
import type { Ledger } from "./ledger.ts";
import { scoreRewards } from "./rewards.ts";
import type { RolloutSettings } from "./settings.ts";

/** Which rollout this is. */
export interface RolloutTask {
  readonly step: number;
  /** Position of the group in its step, and of the rollout in its group. */
  readonly group: number;
  readonly rollout: number;
  /** Environment, split, index and position in the data. */
  readonly taskKey: string;
  readonly environment: string;
  readonly split: string;
  readonly index: number;
}

export interface RolloutParts {
  readonly gate: EnvironmentGate;
  readonly sampler: SamplingClient;
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  readonly settings: RolloutSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Waits for a place among the samples in flight of the whole run. */
  readonly sampleSlot: (signal: AbortSignal) => Promise<() => void>;
  /** Runs the waits for an environment that is full or fails. */
  readonly whileWaiting?: PausedWhile;
  /** Seed of one sample; undefined = not sent. `attempt` rises only when a crash of the tool made a new start necessary. */
  readonly seedOf: (attempt: number, turn: number) => number | undefined;
}

export interface FinishedRollout {
  readonly task: RolloutTask;
  readonly record: RolloutRecord;
  /** Null when the rollout ended before its first prompt. */
  readonly ledger: Ledger | null;
  /** Null when the rollout failed. */
  readonly reward: number | null;
  readonly facts: Omit<RolloutFacts, "isIncluded" | "advantage">;
  /** Of what made it fail; null without a fault. */
  readonly stack: string | null;
}

interface AttemptResult {
  readonly episode: Episode | null;
  readonly stop: StopReason;
  readonly error: unknown;
  /** 0 when no session was opened. */
  readonly openedInMs: number;
}

/**
 * Plays one rollout. What the model or its environment does ends in a record; only faults that concern the whole run (a refused
 * key, an unknown environment, images on a text model) and an abort through `signal` are thrown.
 */
export async function runRollout(
  parts: RolloutParts,
  task: RolloutTask,
  signal: AbortSignal,
): Promise<FinishedRollout> {
  const { clock, gate, log, random, settings } = parts;
  const startedAtMs = clock.now();
  const started = clock.monotonic();
  const attempts = new Attempts(random, settings.maxRetries);
  let sessionMs = 0;
  for (;;) {
    signal.throwIfAborted();
    const result = await attempt(parts, task, attempts.seed, signal);
    sessionMs += result.openedInMs;
    const isToBlame = await gate.isToBlame(result.error, attempts.isLeft, signal);
    const verdict = attempts.judge(result.error, isToBlame);
    if (verdict.kind !== "again") {
      const timing = { startedAtMs, durationMs: clock.monotonic() - started, sessionMs };
      const stop = verdict.kind === "give-up" ? "max_retries" : result.stop;
      return finish(task, { ...result, stop }, settings, attempts.count, timing);
    }
    log.debug("A rollout starts again in a fresh session.", {
      task: task.taskKey,
      rollout: task.rollout,
      reason: errorMessage(result.error),
    });
    if (verdict.delayMs > 0) await clock.sleep(verdict.delayMs, signal);
  }
}

async function attempt(
  parts: RolloutParts,
  task: RolloutTask,
  seedAttempt: number,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { clock, gate, settings } = parts;
  let opened: OpenedSession;
  try {
    const choice = { split: task.split, index: task.index, secrets: settings.secrets };
    opened = await gate.open(choice, signal, {
      answerLimitMs: settings.sessionTimeoutMs,
      whileWaiting: parts.whileWaiting,
    });
  } catch (error) {
    signal.throwIfAborted();
    return { episode: null, stop: "error", error, openedInMs: 0 };
  }
  const { session, tookMs: openedInMs } = opened;
  const limitMs = settings.rolloutTimeoutMs;
  const onLimit = (): Error => tookTooLong(`Rollout ${task.taskKey}`, limitMs);
  const limit = deadline({ clock, limitMs, onLimit, parents: [signal, session.lost] });
  const episode = new Episode({
    ...parts,
    session,
    environment: task.environment,
    seedOf: (turn) => parts.seedOf(seedAttempt, turn),
    pausedWhile: (wait) => limit.pausedWhile(wait),
    signal: limit.signal,
  });
  const resumeClock = pauseWhileFailing(gate, limit);
  try {
    return { episode, stop: await episode.play(), error: null, openedInMs };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.isExpired()) return { episode, stop: "rollout_timeout", error: null, openedInMs };
    const fault = session.lost.aborted ? session.lost.reason : error;
    return { episode, stop: "error", error: fault, openedInMs };
  } finally {
    resumeClock();
    limit.clear();
    await opened.close();
  }
}

/** The time stands still while the environment fails, from the next time that it begins to; until the returned function is called. */
function pauseWhileFailing(gate: EnvironmentGate, limit: Deadline): () => void {
  const over = new AbortController();
  const stopListening = gate.listen(({ kind }) => {
    if (kind === "blocked") limit.pausedWhile(() => gate.well(over.signal)).catch(() => undefined);
  });
  return () => {
    stopListening();
    over.abort();
  };
}

interface Timing {
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly sessionMs: number;
}

function finish(
  task: RolloutTask,
  result: AttemptResult,
  settings: RolloutSettings,
  attempts: number,
  timing: Timing,
): FinishedRollout {
  const { episode, stop, error } = result;
  const failed = error !== null || (episode?.turns.length ?? 0) === 0;
  const rewards = episode?.rewards ?? [];
  const parts = scoreRewards(rewards, stop === "reached_terminal_state", settings.rewards);
  const reward = failed ? null : parts.clamped;
  const record: RolloutRecord = {
    ...task,
    attempt: attempts - 1,
    systemText: settings.systemPromptTemplate,
    promptText: episode?.promptText ?? "",
    conversation: episode?.conversation ?? [],
    turns: episode?.turns ?? [],
    rewards,
    rewardParts: parts,
    reward,
    stop,
    error: error === null ? null : errorMessage(error),
    startedAtMs: timing.startedAtMs,
    durationMs: timing.durationMs,
  };
  const ledger = episode?.ledger ?? null;
  const facts: FinishedRollout["facts"] = {
    environment: task.environment,
    group: task.group,
    reward,
    stop,
    errorClass: errorClass(error),
    attempts,
    turns: episode?.turnFacts ?? [],
    tools: episode?.toolFacts ?? [],
    promptTokens: episode?.promptTokens ?? 0,
    observationTokens: ledger?.sources.filter((source) => source === "delta").length ?? 0,
    prefillTokens: episode?.prefillTokens ?? 0,
    streamBreaks: 0,
    queueS: 0,
    sessionS: timing.sessionMs / 1000,
    samplingS: (episode?.samplingMs ?? 0) / 1000,
  };
  return { task, record, ledger, reward, facts, stack: stackOf(error) };
}

function errorClass(error: unknown): string | null {
  if (error === null) return null;
  return isAppError(error) ? error.code : "bug";
}

function stackOf(error: unknown): string | null {
  return error instanceof Error ? (error.stack ?? null) : null;
}
