/**
 * Controls the sessions of one environment: opens as many as it accepts, holds attempts back while it fails, and decides whether the
 * environment or the rollout caused a fault.
 */

import { type AppError, isAppError } from "../errors.ts";
import type {
  EnvironmentSession,
  OpenOptions,
  RemoteEnvironment,
  TaskChoice,
} from "../openreward/types.ts";
import type { Clock, Random } from "../ports.ts";
import { timeoutError, withLimit } from "../util/abort.ts";
import { type Backoff, backoffMs } from "../util/backoff.ts";
import { Limiter } from "../util/limiter.ts";
import { WakeableSleep } from "../util/wakeableSleep.ts";
import { type WithTimerPaused, withoutTimer } from "../util/withTimerPaused.ts";
import { isRefusal, isServiceFault } from "./faults.ts";

export interface EnvironmentGateOptions {
  readonly remote: Pick<RemoteEnvironment, "openSession" | "splits" | "release">;
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum number of sessions; Infinity leaves only the limit over all environments. */
  readonly maxSessions: number;
}

/** Counters since the run started. */
export interface GateStats {
  /** The current limit, never above the configured one. */
  readonly limit: number;
  /** Highest number of sessions in use at once. */
  readonly peak: number;
  /** Highest number of sessions in use or waited for at once. */
  readonly demand: number;
  readonly rejections: number;
  /** Time that rollouts waited after rejections, summed over all rollouts. */
  readonly waitS: number;
  /** How many times the environment started to fail. */
  readonly failures: number;
}

/** Why no session can be opened right now. */
export interface Outage {
  /**
   * `failing`: attempts fail because of the environment. `unpaid`: the account has no credit left. `full`: the environment refuses even a
   * single session.
   */
  readonly why: "failing" | "unpaid" | "full";
  /** On the monotonic clock. */
  readonly sinceMs: number;
  readonly fault: AppError;
}

interface Failing extends Outage {
  sinceMs: number;
  /** Infinity while probing is paused, until {@link EnvironmentGate.retryNow}. */
  nextProbeMs: number;
  isProbing: boolean;
}

export interface OpenedSession {
  readonly session: EnvironmentSession;
  /** Time that the environment took to open it. */
  readonly tookMs: number;
  /** Closes the session and frees its slot. */
  readonly close: () => Promise<void>;
}

interface OpenSessionOptions extends Pick<OpenOptions, "answerLimitMs"> {
  /** Wraps every wait for an environment that is full or failing. */
  readonly whileWaiting?: WithTimerPaused | undefined;
}

/** Time between attempts that test whether a failing environment works again. */
export const PROBE_EVERY_MS = 30_000;
/** Time limit for a working environment to answer a query. */
const ANSWER_LIMIT_MS = 30_000;
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.25 };

export class EnvironmentGate {
  /** The outage that the run has reported; null once it has reported the end. */
  reported: Outage | null = null;
  readonly #options: EnvironmentGateOptions;
  readonly #sessions: AdaptiveLimit;
  /** Waits after refusals that named no retry time. */
  readonly #backingOff = new Set<WakeableSleep>();
  /** Wakes attempts that wait for the environment to work again. */
  readonly #changed = new WakeableSleep();
  /** Timers of the rollouts in open sessions. */
  readonly #timers = new Set<WithTimerPaused>();
  #failing: Failing | null = null;
  /** The outage for lack of capacity, since the environment last accepted a request. */
  #full: Outage | null = null;
  /** The pending query that tests whether the environment answers. */
  #answering: Promise<boolean> | null = null;
  #hasOpened = false;
  #waitMs = 0;
  #failures = 0;

  constructor(options: EnvironmentGateOptions) {
    this.#options = options;
    this.#sessions = new AdaptiveLimit(options.clock, options.maxSessions);
  }

  get stats(): GateStats {
    const { limit, peak, demand, rejections } = this.#sessions;
    return {
      limit,
      peak,
      demand,
      rejections,
      waitS: this.#waitMs / 1000,
      failures: this.#failures,
    };
  }

  /** Null while sessions can be opened, as far as known. */
  get outage(): Outage | null {
    return this.#failing ?? (this.#sessions.inUse === 0 ? this.#full : null);
  }

  /** Changes the configured maximum number of sessions; open ones are not affected. */
  setMaxSessions(maxSessions: number): void {
    this.#sessions.setMax(maxSessions);
  }

  /** Stops probing a failing environment until {@link retryNow}. */
  pauseProbes(): void {
    if (this.#failing !== null) this.#failing.nextProbeMs = Number.POSITIVE_INFINITY;
  }

  /** Lets the next attempt try an unavailable environment immediately; outages are timed from now. */
  retryNow(): void {
    const nowMs = this.#nowMs;
    this.#full &&= { ...this.#full, sinceMs: nowMs };
    if (this.#failing !== null)
      Object.assign(this.#failing, { sinceMs: nowMs, nextProbeMs: nowMs });
    this.#changed.wake();
    for (const sleep of this.#backingOff) sleep.wake();
  }

  /** Pauses a rollout's timer while the environment fails. Returns a function that undoes the registration. */
  pauseWhileFailing(timer: WithTimerPaused): () => void {
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Opens a session, waiting while the environment is full or failing. @throws AppError `environment-*` except for capacity */
  async open(
    choice: TaskChoice,
    signal: AbortSignal,
    { whileWaiting = withoutTimer, answerLimitMs }: OpenSessionOptions = {},
  ): Promise<OpenedSession> {
    const isFree = this.#sessions.hasRoom && this.#failing === null;
    let release = (): void => undefined;
    const enter = async (): Promise<void> => {
      const acquiring = this.#sessions.acquire({ signal });
      this.#sessions.asked();
      release = await acquiring;
      await this.#reachable(signal);
    };
    try {
      await (isFree ? enter() : whileWaiting(enter));
      for (let refusals = 1; ; refusals += 1) {
        const opened = await this.#tryToOpen(choice, { answerLimitMs, signal }, release);
        if ("session" in opened) return opened;
        await whileWaiting(async () => {
          // Keep the slot meanwhile, so that the next attempts do not ask and get refused too.
          await this.#waitForCapacity(opened.refusal, refusals, signal);
          release = await this.#sessions.keepOrReacquire(release, signal);
          await this.#reachable(signal);
        });
      }
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Sends a query outside of a session. Waits while the environment is full and, if it has opened a session before, while it fails.
   * `onFull` is called with the first refusal.
   */
  async query<Answer>(
    send: () => Promise<Answer>,
    signal: AbortSignal,
    onFull?: (refusal: AppError) => void,
  ): Promise<Answer> {
    for (let refusals = 0; ; ) {
      await this.#reachable(signal);
      try {
        const answer = await send();
        this.#full = null;
        this.#succeeded();
        return answer;
      } catch (error) {
        if (isAppError(error, "environment-capacity")) {
          this.#refused(error);
          if (refusals === 0) onFull?.(error);
          refusals += 1;
          await this.#waitForCapacity(error, refusals, signal);
        } else if (this.#isLaterFault(error)) this.#failed(error);
        else throw error;
      }
    }
  }

  /**
   * Reports how an attempt ended, with null for no fault; call once per attempt. Resolves with true if the environment caused the fault:
   * then the attempt does not count, and the next one waits in {@link open}. A service fault is blamed on the environment unless it
   * answers a query. A refusal of a key or name it accepted before always is.
   */
  async blamesEnvironment(fault: unknown, signal: AbortSignal): Promise<boolean> {
    const isUnanswered = isServiceFault(fault) && !(await this.#answers(signal));
    if (isUnanswered || (isRefusal(fault) && this.#hasOpened)) {
      this.#failed(fault);
      return true;
    }
    this.#succeeded();
    return false;
  }

  get #nowMs(): number {
    return this.#options.clock.monotonic();
  }

  /** Waits after a refusal for as long as the environment asked, or longer with each of the `refusals` in a row. */
  async #waitForCapacity(refusal: AppError, refusals: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const askedMs = refusal.data["retryAfterMs"];
    const startedMs = this.#nowMs;
    const sleep = new WakeableSleep();
    if (typeof askedMs !== "number") this.#backingOff.add(sleep);
    const ms = typeof askedMs === "number" ? askedMs : backoffMs(BACKOFF, refusals - 1, random);
    try {
      await sleep.sleep(clock, ms, signal);
    } finally {
      this.#backingOff.delete(sleep);
      this.#waitMs += this.#nowMs - startedMs;
    }
  }

  async #tryToOpen(
    choice: TaskChoice,
    options: OpenOptions,
    release: () => void,
  ): Promise<OpenedSession | { readonly refusal: AppError }> {
    const startedMs = this.#nowMs;
    try {
      const session = await this.#options.remote.openSession(choice, options);
      this.#hasOpened = true;
      this.#full = null;
      this.#sessions.opened();
      const close = () => this.#close(session, release);
      return { session, tookMs: this.#nowMs - startedMs, close };
    } catch (error) {
      if (!isAppError(error, "environment-capacity")) throw error;
      this.#sessions.shrink();
      this.#refused(error);
      return { refusal: error };
    }
  }

  async #close(session: EnvironmentSession, release: () => void): Promise<void> {
    // The environment may free the session before its reply arrives.
    this.#sessions.inUse -= 1;
    try {
      await session.close();
    } finally {
      const [first] = this.#backingOff;
      if (first !== undefined) {
        this.#backingOff.delete(first);
        first.wake();
      }
      release();
    }
  }

  #refused(refusal: AppError): void {
    this.#sessions.refused();
    this.#full ??= { why: "full", sinceMs: this.#nowMs, fault: refusal };
    // A full environment responds, so it is not failing.
    this.#works();
  }

  /** Resolves when an attempt may start: immediately, as the probing attempt, or when the environment works again. */
  async #reachable(signal: AbortSignal): Promise<void> {
    for (let failing = this.#failing; failing !== null; failing = this.#failing) {
      const waitMs = failing.nextProbeMs - this.#nowMs;
      if (failing.isProbing || waitMs === Number.POSITIVE_INFINITY) {
        await this.#changed.untilWoken(signal);
      } else if (waitMs > 0) await this.#changed.sleep(this.#options.clock, waitMs, signal);
      else {
        failing.isProbing = true;
        return;
      }
    }
  }

  /** Records that the environment started to fail, or that a probe failed. */
  #failed(fault: AppError): void {
    const nextProbeMs = this.#nowMs + PROBE_EVERY_MS;
    if (this.#failing === null) {
      this.#failing = {
        why: isAppError(fault, "environment-billing") ? "unpaid" : "failing",
        sinceMs: this.#nowMs,
        fault,
        nextProbeMs,
        isProbing: false,
      };
      this.#failures += 1;
      for (const withTimerPaused of this.#timers) void withTimerPaused(() => this.#untilItWorks());
    } else if (this.#failing.isProbing) {
      this.#failing.isProbing = false;
      this.#failing.nextProbeMs = Math.max(this.#failing.nextProbeMs, nextProbeMs);
      this.#changed.wake();
    }
  }

  /** Ends a successful probe. An attempt that began before the outage says nothing about it. */
  #succeeded(): void {
    if (this.#failing?.isProbing === true) this.#works();
  }

  #works(): void {
    this.#failing = null;
    this.#changed.wake();
  }

  async #untilItWorks(): Promise<void> {
    while (this.#failing !== null) await this.#changed.untilWoken();
  }

  /** True for a service fault, or a refused key or name, after a session had been opened: it may be temporary. */
  #isLaterFault(error: unknown): error is AppError {
    return this.#hasOpened && (isServiceFault(error) || isRefusal(error));
  }

  /** Whether the environment answers a query. During a known outage, only the probing attempt asks. */
  async #answers(signal: AbortSignal): Promise<boolean> {
    if (this.#failing?.isProbing === false) return false;
    // Attempts that fail at the same time share one query; their signals all abort together.
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
      // The failed query's session may be gone and must not affect the next query. Freeing it may take long, and logs its own errors.
      remote.release().catch(() => undefined);
    }
    return true;
  }
}

/** Time without a refusal before the limit grows. */
const GROW_AFTER_MS = 10_000;

/** Adapts the number of open sessions of one environment: the configured maximum, fewer when the environment is full, then slowly more. */
class AdaptiveLimit extends Limiter {
  /** Open sessions, without those being closed. */
  inUse = 0;
  peak = 0;
  /** Highest number of slots taken or waited for. */
  demand = 0;
  rejections = 0;
  readonly #clock: Clock;
  #max: number;
  /** Sessions opened since the last refusal or growth. */
  #openings = 0;
  #lastRefusalMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, max: number) {
    super(max);
    this.#clock = clock;
    this.#max = max;
  }

  /** True when {@link acquire} would not have to wait. */
  get hasRoom(): boolean {
    return this.waiting === 0 && this.active < this.limit;
  }

  setMax(max: number): void {
    const isOwnLimit = this.limit === this.#max;
    this.#max = max;
    // A limit lowered by refusals recovers slowly by itself.
    if (isOwnLimit || this.limit > max) this.resize(max);
  }

  /** Records that a slot was requested. */
  asked(): void {
    this.demand = Math.max(this.demand, this.active + this.waiting);
  }

  /** Records an opened session. If the last refusal is long ago, an exhausted limit grows by one after as many openings as the limit. */
  opened(): void {
    this.inUse += 1;
    this.peak = Math.max(this.peak, this.inUse);
    this.#openings += 1;
    const isQuiet = this.#clock.monotonic() - this.#lastRefusalMs >= GROW_AFTER_MS;
    const isUsedUp = this.active >= this.limit && this.limit < this.#max;
    if (!isQuiet || !isUsedUp || this.#openings < this.limit) return;
    this.#openings = 0;
    this.resize(this.limit + 1);
  }

  refused(): void {
    this.rejections += 1;
    this.#openings = 0;
    this.#lastRefusalMs = this.#clock.monotonic();
  }

  /** Halves the number of requested sessions after a refusal, but keeps those in use, which evidently fit. */
  shrink(): void {
    const half = Math.max(this.inUse, Math.min(this.limit, Math.floor(this.active / 2)));
    this.resize(Math.max(1, Math.min(this.#max, half)));
  }

  /** Keeps the slot; if the limit has dropped below the slots in use, releases it and waits for the next one. */
  async keepOrReacquire(release: () => void, signal: AbortSignal): Promise<() => void> {
    if (this.active <= this.limit) return release;
    // Queue ahead of attempts that have not asked yet, and before releasing.
    const next = this.acquire({ atHead: true, signal });
    release();
    return await next;
  }
}
