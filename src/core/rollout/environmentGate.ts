/**
 * Guards the sessions of one environment: lets in as many as the environment has room for, none while the environment fails, and decides
 * whether the environment or the rollout caused a fault.
 */

import { type AppError, isAppError } from "../errors.ts";
import type {
  EnvironmentSession,
  OpenOptions,
  RemoteEnvironment,
  TaskChoice,
} from "../openreward/types.ts";
import { type WithTimerPaused, withoutTimer } from "../util/withTimerPaused.ts";
import {
  AdaptiveSessionLimit,
  type AdaptiveSessionLimitOptions,
  type SessionStats,
} from "./adaptiveLimit.ts";
import { CircuitBreaker } from "./circuitBreaker.ts";
import { FaultAttribution } from "./faultAttribution.ts";
import { isBadOpening, isEnvironmentFault, isRefusal, isServiceFault } from "./faults.ts";

export interface EnvironmentGateOptions extends AdaptiveSessionLimitOptions {
  readonly remote: RemoteEnvironment;
}

export interface GateStats extends SessionStats {
  /** How often the circuit opened: so many attempts failed that others were held back. */
  readonly failures: number;
}

/** Why no session can be had at the moment. */
export interface Unavailability {
  /** `failing`: attempts fail because of the environment. `full`: the environment has no room for a single session. */
  readonly why: "failing" | "full";
  /** On the monotonic clock. */
  readonly sinceMs: number;
  readonly fault: AppError;
}

export type GateEvent =
  | { readonly kind: "blocked"; readonly blockage: Unavailability }
  /** `isReachable`: the environment answers queries while attempts fail, so from now on a failing attempt counts as the rollout's own fault. */
  | { readonly kind: "free"; readonly blockage: Unavailability; readonly isReachable: boolean }
  /** Refusals have lowered, or their absence has raised, the number of sessions that are requested at once. */
  | { readonly kind: "limit"; readonly limit: number };

export interface OpenedSession {
  readonly session: EnvironmentSession;
  /** Time that the environment took to open it. */
  readonly tookMs: number;
  /** Closes the session and gives its place back. */
  readonly close: () => Promise<void>;
}

interface OpenSessionOptions extends Pick<OpenOptions, "answerLimitMs"> {
  /** Runs every wait, for room or for a failing environment. */
  readonly whileWaiting?: WithTimerPaused | undefined;
}

/** After this many failed probes the environment is sent a query, to see whether it answers at all. */
const TRIES_BEFORE_ASKING = 10;
/** Shortest time between two reports of a changed limit. */
const LIMIT_NEWS_MS = 60_000;

export class EnvironmentGate {
  readonly #options: EnvironmentGateOptions;
  readonly sessions: AdaptiveSessionLimit;
  readonly #breaker: CircuitBreaker;
  readonly #listeners = new Set<(news: GateEvent) => void>();
  readonly #attribution = new FaultAttribution();
  /** Sessions that are being opened or in use. */
  #inFlight = 0;
  #hasOpened = false;
  #lastOpeningFailed = false;
  /** The environment answered queries while attempts failed, so faults count as the rollouts' own until one ends well. */
  #isReachable = false;
  lastUnavailability: Unavailability | null = null;
  #refusal: AppError | null = null;
  #reportedLimit: number;
  #reportedLimitMs = Number.NEGATIVE_INFINITY;

  constructor(options: EnvironmentGateOptions) {
    this.#options = options;
    this.sessions = new AdaptiveSessionLimit(options);
    this.#breaker = new CircuitBreaker(options.clock, () => this.update());
    this.#reportedLimit = this.sessions.stats.limit;
  }

  /** Counts since the run began. */
  get stats(): GateStats {
    return { ...this.sessions.stats, failures: this.#breaker.openings };
  }

  /** Null while sessions can be had, as far as is known. */
  get unavailability(): Unavailability | null {
    const { opened } = this.#breaker;
    if (opened !== null) return { why: "failing", ...opened };
    const sinceMs = this.sessions.fullSinceMs;
    if (sinceMs === null || this.#refusal === null) return null;
    return { why: "full", sinceMs, fault: this.#refusal };
  }

  /** Changes how many sessions the configuration allows at once; open ones are left alone. */
  setMaxSessions(maxSessions: number): void {
    this.sessions.setCeiling(maxSessions);
    this.#reportedLimit = this.sessions.stats.limit;
  }

  /** Calls back at news until the returned function is called. */
  onEvent(listener: (news: GateEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Lets the next attempt try a blocked environment at once. */
  retryNow(): void {
    this.#breaker.retryNow();
    this.sessions.retryNow();
  }

  /** Keeps a failing environment from being tried until {@link retryNow}. */
  holdTrials(): void {
    this.#breaker.holdTrials();
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
    const isFree = this.sessions.hasCapacity && this.#breaker.opened === null;
    let release = await (isFree ? this.acquire(signal) : whileWaiting(() => this.acquire(signal)));
    for (let refusals = 1; ; refusals += 1) {
      const opened = await this.#tryToOpen(choice, { ...limits, signal }, release);
      if ("session" in opened) return opened;
      const place = release;
      release = await whileWaiting(() =>
        this.waitForCapacity(opened.refusal, refusals, place, signal),
      );
    }
  }

  /** Sends the environment a query outside of a session; waits as {@link open} does. */
  async ask<Answer>(question: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (let refusals = 1; ; refusals += 1) {
      await this.#breaker.admit(signal);
      try {
        const answer = await question();
        this.#breaker.succeeded();
        return answer;
      } catch (error) {
        if (isAppError(error, "environment-capacity")) {
          this.#refused(error);
          await this.sessions.waitForCapacity(error, refusals, signal);
        } else if (isServiceFault(error) || (isRefusal(error) && this.#hasOpened)) {
          this.#breaker.open(error);
        } else throw error;
      }
    }
  }

  /**
   * Reports how an attempt ended, null = without a fault; call it once for each attempt. Resolves with true when the environment caused
   * the fault: the attempt then does not count, and the next one waits here. A key or name that is refused after it had been accepted
   * counts as the environment's fault at once. When no attempt `isLeft` and the cause is unclear, waits until other rollouts show it.
   */
  async blamesEnvironment(fault: unknown, isLeft: boolean, signal: AbortSignal): Promise<boolean> {
    if (isRefusal(fault)) {
      if (this.#hasOpened) this.#breaker.open(fault);
    } else if (isBadOpening(fault)) this.#breaker.failed(fault);
    else if (isServiceFault(fault)) {
      this.#breaker.failed(fault);
      await this.#askWhetherItAnswers(signal);
      if (this.#breaker.opened === null && !isLeft) return await this.attribute(fault, signal);
    } else {
      this.#isReachable = false;
      this.#breaker.succeeded();
    }
    this.#settleAttribution();
    return isEnvironmentFault(fault) && this.#breaker.opened !== null;
  }

  async acquire(signal: AbortSignal): Promise<() => void> {
    const release = await this.sessions.enter({ signal });
    await this.#breaker.admit(signal).catch(givingBack(release));
    return release;
  }

  /** Keeps the place while it waits after a refusal, so that the other attempts do not ask and get refused in turn. */
  async waitForCapacity(
    refusal: AppError,
    refusals: number,
    release: () => void,
    signal: AbortSignal,
  ): Promise<() => void> {
    await this.sessions.waitForCapacity(refusal, refusals, signal).catch(givingBack(release));
    const kept = await this.sessions.keepOrReacquire(release, signal);
    await this.#breaker.admit(signal).catch(givingBack(kept));
    return kept;
  }

  async #tryToOpen(
    choice: TaskChoice,
    options: OpenOptions,
    release: () => void,
  ): Promise<OpenedSession | { readonly refusal: AppError }> {
    const { clock, remote } = this.#options;
    const startedMs = clock.monotonic();
    this.#inFlight += 1;
    try {
      const session = await remote.openSession(choice, options);
      this.#opened();
      const tookMs = clock.monotonic() - startedMs;
      return { session, tookMs, close: () => this.#close(session, release) };
    } catch (error) {
      this.#inFlight -= 1;
      this.#lastOpeningFailed = isServiceFault(error);
      if (!isAppError(error, "environment-capacity")) {
        release();
        throw error;
      }
      this.sessions.shrink();
      this.#refused(error);
      return { refusal: error };
    }
  }

  #opened(): void {
    this.#hasOpened = true;
    this.#lastOpeningFailed = false;
    this.sessions.opened();
    if (this.#breaker.opened === null) this.#attribution.settle(false);
    this.update();
  }

  #refused(refusal: AppError): void {
    this.#refusal = refusal;
    this.sessions.refused();
    // An environment that is full answers, so it does not fail.
    if (this.#breaker.opened !== null) this.#breaker.close();
    this.#attribution.settle(false);
    this.update();
  }

  async #close(session: EnvironmentSession, release: () => void): Promise<void> {
    this.#inFlight -= 1;
    this.sessions.closing();
    try {
      await session.close();
    } finally {
      this.sessions.closed();
      release();
      this.update();
    }
  }

  /** Waits for the verdict on a fault. When the last opening succeeded, the environment can be reached and is not at fault. */
  async attribute(fault: AppError, signal: AbortSignal): Promise<boolean> {
    if (!this.#lastOpeningFailed || this.#isReachable) return false;
    const answer = this.#attribution.wait(fault, signal);
    this.#settleAttribution();
    return await answer;
  }

  /** When no session is left whose end could show the cause, the environment counts as the cause. */
  #settleAttribution(): void {
    const { fault } = this.#attribution;
    if (fault !== null && this.#inFlight === 0) this.#breaker.open(fault);
  }

  /** Sends a query after every tenth failed probe, so that a task which no environment could serve does not block the run for ever. */
  async #askWhetherItAnswers(signal: AbortSignal): Promise<void> {
    const { opened } = this.#breaker;
    if (opened === null || opened.tries === 0 || opened.tries % TRIES_BEFORE_ASKING !== 0) return;
    if (isRefusal(opened.fault)) return;
    const { remote } = this.#options;
    const answers = await remote.splits({ signal }).then(
      () => true,
      () => false,
    );
    await remote.release();
    if (!answers || this.#breaker.opened !== opened) return;
    this.#isReachable = true;
    this.#breaker.close();
  }

  /** Reports changes to the listeners. */
  update(): void {
    const before = this.lastUnavailability;
    const now = this.unavailability;
    this.lastUnavailability = now;
    if (before !== null && before.why !== now?.why) {
      this.emit({ kind: "free", blockage: before, isReachable: this.#isReachable });
    }
    if (now !== null && before?.why !== now.why) this.emit({ kind: "blocked", blockage: now });
    if (now?.why === "failing") this.#attribution.settle(true);
    this.reportLimit();
  }

  reportLimit(): void {
    const { limit } = this.sessions.stats;
    const nowMs = this.#options.clock.monotonic();
    if (limit === this.#reportedLimit || nowMs - this.#reportedLimitMs < LIMIT_NEWS_MS) return;
    this.#reportedLimit = limit;
    this.#reportedLimitMs = nowMs;
    this.emit({ kind: "limit", limit });
  }

  emit(news: GateEvent): void {
    for (const listener of [...this.#listeners]) listener(news);
  }
}

/** Gives the place back when a wait in it fails. */
function givingBack(release: () => void): (error: unknown) => never {
  return (error) => {
    release();
    throw error;
  };
}
