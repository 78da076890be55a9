/**
 * Guards the sessions of one environment: opens as many as the environment accepts, none while the environment fails, and decides
 * whether the environment or the rollout caused a fault.
 */

import { type AppError, isAppError } from "../errors.ts";
import type {
  EnvironmentSession,
  OpenOptions,
  RemoteEnvironment,
  TaskChoice,
} from "../openreward/types.ts";
import { timeoutError, withLimit } from "../util/abort.ts";
import { type WithTimerPaused, withoutTimer } from "../util/withTimerPaused.ts";
import {
  AdaptiveSessionLimit,
  type AdaptiveSessionLimitOptions,
  type SessionStats,
} from "./adaptiveLimit.ts";
import { CircuitBreaker } from "./circuitBreaker.ts";
import { isRefusal, isServiceFault } from "./faults.ts";
import { type GateEvent, GateEvents, type Unavailability } from "./gateEvents.ts";

export interface EnvironmentGateOptions extends AdaptiveSessionLimitOptions {
  readonly remote: RemoteEnvironment;
}

export interface GateStats extends SessionStats {
  /** How often the circuit opened because the environment failed. */
  readonly failures: number;
}

export interface OpenedSession {
  readonly session: EnvironmentSession;
  /** Time that the environment took to open it. */
  readonly tookMs: number;
  /** Closes the session and releases its place. */
  readonly close: () => Promise<void>;
}

interface OpenSessionOptions extends Pick<OpenOptions, "answerLimitMs"> {
  /** Runs every wait, for a full or for a failing environment. */
  readonly whileWaiting?: WithTimerPaused | undefined;
}

/** Time in which an environment that works answers a query. */
const ANSWER_LIMIT_MS = 30_000;

export class EnvironmentGate {
  readonly #options: EnvironmentGateOptions;
  readonly #sessions: AdaptiveSessionLimit;
  readonly #breaker: CircuitBreaker;
  readonly #events: GateEvents;
  /** The query that is under way to see whether the environment answers. */
  #answering: Promise<boolean> | null = null;
  #hasOpened = false;
  #refusal: AppError | null = null;

  constructor(options: EnvironmentGateOptions) {
    this.#options = options;
    this.#sessions = new AdaptiveSessionLimit(options);
    this.#breaker = new CircuitBreaker(options.clock, () => this.#update());
    this.#events = new GateEvents(options.clock, this.#sessions.stats.limit);
  }

  /** Counts since the run began. */
  get stats(): GateStats {
    return { ...this.#sessions.stats, failures: this.#breaker.openings };
  }

  /** Null while sessions can be opened, as far as is known. */
  get unavailability(): Unavailability | null {
    const { opened } = this.#breaker;
    if (opened !== null) return { why: "failing", sinceMs: opened.sinceMs, fault: opened.fault };
    const sinceMs = this.#sessions.fullSinceMs;
    if (sinceMs === null || this.#refusal === null) return null;
    return { why: "full", sinceMs, fault: this.#refusal };
  }

  /** Changes how many sessions the configuration allows at once; open ones are left alone. */
  setMaxSessions(maxSessions: number): void {
    this.#sessions.setCeiling(maxSessions);
    this.#events.setLimit(this.#sessions.stats.limit);
  }

  /** Calls back at events until the returned function is called. */
  onEvent(listener: (event: GateEvent) => void): () => void {
    return this.#events.on(listener);
  }

  /** Lets the next attempt try an unavailable environment at once. */
  retryNow(): void {
    this.#breaker.retryNow();
    this.#sessions.retryNow();
  }

  /** Keeps a failing environment from being tried until {@link retryNow}. */
  pauseProbes(): void {
    this.#breaker.pauseProbes();
  }

  /** Resolves when the environment is not known to fail. */
  whenReachable(signal: AbortSignal): Promise<void> {
    return this.#breaker.closed(signal);
  }

  /** Opens a session, waiting for as long as the environment is full or fails. @throws AppError `environment-*` but for capacity */
  async open(
    choice: TaskChoice,
    signal: AbortSignal,
    { whileWaiting = withoutTimer, ...limits }: OpenSessionOptions = {},
  ): Promise<OpenedSession> {
    const isFree = this.#sessions.hasCapacity && this.#breaker.opened === null;
    let release = await (isFree
      ? this.#acquire(signal)
      : whileWaiting(() => this.#acquire(signal)));
    for (let refusals = 1; ; refusals += 1) {
      const opened = await this.#tryToOpen(choice, { ...limits, signal }, release);
      if ("session" in opened) return opened;
      const place = release;
      // Keeps the place meanwhile, so that the other attempts do not ask and get refused in turn.
      release = await whileWaiting(async () => {
        await this.waitForCapacity(opened.refusal, refusals, signal).catch(releasing(place));
        return await this.#admitted(this.#sessions.keepOrReacquire(place, signal), signal);
      });
    }
  }

  /** Sends the environment a query outside of a session, waiting for as long as the environment is full. */
  async query<Answer>(send: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (let refusals = 1; ; refusals += 1) {
      try {
        const answer = await send();
        this.#sessions.accepted();
        this.#update();
        return answer;
      } catch (error) {
        if (!isAppError(error, "environment-capacity")) throw error;
        this.#refused(error);
        await this.waitForCapacity(error, refusals, signal);
      }
    }
  }

  /** As {@link query}, waiting as well for as long as the environment fails. */
  async queryWhenReachable<Answer>(
    send: () => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    for (;;) {
      await this.#breaker.admit(signal);
      try {
        const answer = await this.query(send, signal);
        this.#breaker.succeeded();
        return answer;
      } catch (error) {
        if (!isServiceFault(error) && !this.#isLaterRefusal(error)) throw error;
        this.#breaker.failed(error);
      }
    }
  }

  /** Waits after a refusal, the `refusals`th in a row, until it makes sense to try again. */
  waitForCapacity(refusal: AppError, refusals: number, signal: AbortSignal): Promise<void> {
    return this.#sessions.waitForCapacity(refusal, refusals, signal);
  }

  /**
   * Reports how an attempt ended, null = without a fault; call it once for each attempt. Resolves with true when the environment caused
   * the fault: the attempt then does not count, and the next one waits in {@link open}. After a fault of the service the environment is
   * to blame unless it answers a query; a key or name that is refused after it had been accepted is always its fault.
   */
  async blamesEnvironment(fault: unknown, signal: AbortSignal): Promise<boolean> {
    const isUnanswered = isServiceFault(fault) && !(await this.#answers(signal));
    if (isUnanswered || this.#isLaterRefusal(fault)) {
      this.#breaker.failed(fault);
      return true;
    }
    this.#breaker.succeeded();
    return false;
  }

  /** True for a refused key or name when a session had been opened before: a gateway may answer so for a moment. */
  #isLaterRefusal(error: unknown): error is AppError {
    return isRefusal(error) && this.#hasOpened;
  }

  /** Whether the environment answers a query. While it is known to fail, only the probing attempt asks. */
  async #answers(signal: AbortSignal): Promise<boolean> {
    if (this.#breaker.opened?.isProbing === false) return false;
    // All attempts that fail meanwhile share the query; the signals of all abort together.
    this.#answering ??= this.#askForSplits(signal).finally(() => {
      this.#answering = null;
    });
    const answers = await this.#answering;
    signal.throwIfAborted();
    return answers;
  }

  async #askForSplits(signal: AbortSignal): Promise<boolean> {
    const { clock, remote } = this.#options;
    const limitMs = ANSWER_LIMIT_MS;
    const onLimit = (): AppError => timeoutError("The environment's answer", limitMs);
    try {
      await withLimit({ clock, limitMs, onLimit, parents: [signal] }, (limit) =>
        remote.splits({ signal: limit.signal }),
      );
    } catch (error) {
      // A full environment works.
      return isAppError(error, "environment-capacity");
    } finally {
      // The session of a query that failed may be gone, and must not fail the next one. Freeing it may take long, and logs its faults.
      remote.release().catch(() => undefined);
    }
    return true;
  }

  #acquire(signal: AbortSignal): Promise<() => void> {
    return this.#admitted(this.#sessions.acquire({ signal }), signal);
  }

  /** The place, once the circuit lets the attempt begin. */
  async #admitted(place: Promise<() => void>, signal: AbortSignal): Promise<() => void> {
    const release = await place;
    await this.#breaker.admit(signal).catch(releasing(release));
    return release;
  }

  async #tryToOpen(
    choice: TaskChoice,
    options: OpenOptions,
    release: () => void,
  ): Promise<OpenedSession | { readonly refusal: AppError }> {
    const { clock, remote } = this.#options;
    const startedMs = clock.monotonic();
    try {
      const session = await remote.openSession(choice, options);
      this.#hasOpened = true;
      this.#sessions.opened();
      this.#update();
      const tookMs = clock.monotonic() - startedMs;
      return { session, tookMs, close: () => this.#close(session, release) };
    } catch (error) {
      if (!isAppError(error, "environment-capacity")) {
        release();
        throw error;
      }
      this.#sessions.shrink();
      this.#refused(error);
      return { refusal: error };
    }
  }

  #refused(refusal: AppError): void {
    this.#refusal = refusal;
    this.#sessions.refused();
    // An environment that is full answers, so it does not fail.
    this.#breaker.close();
    this.#update();
  }

  async #close(session: EnvironmentSession, release: () => void): Promise<void> {
    this.#sessions.closing();
    try {
      await session.close();
    } finally {
      this.#sessions.closed();
      release();
      this.#update();
    }
  }

  /** Reports changes to the listeners. */
  #update(): void {
    this.#events.update(this.unavailability, this.#sessions.stats.limit);
  }
}

/** Releases a place when a wait in it fails. */
function releasing(release: () => void): (error: unknown) => never {
  return (error) => {
    release();
    throw error;
  };
}
