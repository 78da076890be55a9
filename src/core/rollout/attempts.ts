/** Retries in fresh sessions of an environment, each within a time limit, until an attempt is accepted or none is left. */

import { errorMessage } from "../errors.ts";
import type { EnvironmentSession } from "../openreward/types.ts";
import type { Clock, Log, Random } from "../ports.ts";
import { type Deadline, deadline, timeoutError } from "../util/abort.ts";
import { type Backoff, backoffMs } from "../util/backoff.ts";
import type { WithTimerPaused } from "../util/withTimerPaused.ts";
import type { EnvironmentGate, OpenedSession } from "./environmentGate.ts";
import { faultReaction } from "./faults.ts";
import type { RolloutSettings } from "./settings.ts";

const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 30_000, jitter: 0.25 };

export interface AttemptOptions {
  readonly gate: EnvironmentGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: RolloutSettings;
  readonly task: { readonly split: string; readonly index: number };
  /** What is attempted, for messages. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Wraps every wait for an environment that is full or failing. */
  readonly whileWaiting?: WithTimerPaused | undefined;
  /** Called before each attempt, including the first. */
  readonly onAttempt?: (() => void) | undefined;
}

/** How an attempt ended. */
interface Attempt<Result> {
  /** Null when it failed. */
  readonly result: Result | null;
  /** Why it failed, AppError `timeout` after `rollout_timeout`; null on success. */
  readonly error: unknown;
  /** 0 when no session was opened. */
  readonly openedInMs: number;
  /** Time spent waiting for a free session slot of the environment. */
  readonly waitedMs: number;
}

/** The final attempt and what preceded it. */
export interface AcceptedAttempt<Result> extends Attempt<Result> {
  /** Number of attempts that counted. */
  readonly attempts: number;
  /** True when it failed and no retry was left. */
  readonly hasGivenUp: boolean;
  /** Time spent opening sessions, over all attempts. */
  readonly sessionMs: number;
  /** Time before it began. */
  readonly retriedMs: number;
}

/**
 * Repeats `use` in fresh sessions, with pauses in between, until it ends without a retryable fault or no attempt is left. Attempts do not
 * count when the environment failed. `use` gets a deadline whose signal it must obey.
 * @throws the fault of an attempt when every other rollout would fail with it too; the reason of the signal
 */
export async function inFreshSessions<Result>(
  options: AttemptOptions,
  use: (session: EnvironmentSession, limit: Deadline) => Promise<Result>,
): Promise<AcceptedAttempt<Result>> {
  const { clock, gate, log, name, onAttempt, random, settings, signal } = options;
  const startedMs = clock.monotonic();
  let [attempts, sessionMs] = [0, 0];
  for (;;) {
    signal.throwIfAborted();
    onAttempt?.();
    const retriedMs = clock.monotonic() - startedMs;
    const last = await attempt(options, use);
    const { error } = last;
    sessionMs += last.openedInMs;
    if (!(await gate.blamesEnvironment(error, signal))) {
      attempts += 1;
      const reaction = faultReaction(error);
      if (reaction === "end-run") throw error;
      const hasGivenUp = reaction !== "fail";
      if (!hasGivenUp || attempts > settings.maxRetries) {
        return { ...last, attempts, hasGivenUp, sessionMs, retriedMs };
      }
      await clock.sleep(backoffMs(BACKOFF, attempts - 1, random), signal);
    }
    log.debug(`${name} starts again in a fresh session.`, { reason: errorMessage(error) });
  }
}

/** Always closes the session. Throws only the reason of the signal. */
async function attempt<Result>(
  { clock, gate, name, settings, signal, task, whileWaiting }: AttemptOptions,
  use: (session: EnvironmentSession, limit: Deadline) => Promise<Result>,
): Promise<Attempt<Result>> {
  const { rolloutTimeoutMs: limitMs, secrets, sessionTimeoutMs: answerLimitMs } = settings;
  const askedMs = clock.monotonic();
  let opened: OpenedSession;
  try {
    const choice = { split: task.split, index: task.index, secrets };
    opened = await gate.open(choice, signal, { answerLimitMs, whileWaiting });
  } catch (error) {
    signal.throwIfAborted();
    return { result: null, error, openedInMs: 0, waitedMs: clock.monotonic() - askedMs };
  }
  const { session, tookMs: openedInMs } = opened;
  const times = { openedInMs, waitedMs: clock.monotonic() - askedMs - openedInMs };
  const onLimit = (): Error => timeoutError(name, limitMs);
  const limit = deadline({ clock, limitMs, onLimit, parents: [signal, session.ended] });
  const stopPausing = gate.pauseWhileFailing(limit.withTimerPaused);
  try {
    return { result: await use(session, limit), error: null, ...times };
  } catch (error) {
    signal.throwIfAborted();
    // The time limit or end of session takes precedence over the error it caused in `use`.
    const fault = limit.signal.aborted ? limit.signal.reason : error;
    return { result: null, error: fault, ...times };
  } finally {
    stopPausing();
    limit.clear();
    await opened.close();
  }
}
