/**
 * How many sessions of one environment are open at once: as many as the configuration allows, fewer when the environment says it is
 * full, and slowly more again. Additive increase, multiplicative decrease.
 */

import type { AppError } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import { type Backoff, backoffMs } from "../util/backoff.ts";
import { type AcquireOptions, Limiter } from "../util/limiter.ts";
import { WakeableSleep } from "../util/wakeableSleep.ts";

export interface AdaptiveSessionLimitOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Most sessions at once; Infinity leaves it to the limit over all environments. */
  readonly maxSessions: number;
}

/** How an environment limited the sessions of the run. */
export interface SessionStats {
  /** The limit in force, never above that of the configuration. */
  readonly limit: number;
  readonly rejections: number;
  /** Over all rollouts. */
  readonly waitS: number;
  /** Most sessions that were in use at once. */
  readonly peak: number;
}

/** The limit is lowered at most once in this time, because many refusals arrive together. */
const SHRINK_INTERVAL_MS = 5_000;
/** Time without a refusal before the limit grows. */
const GROW_AFTER_MS = 10_000;
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.25 };
/** Stands for "no limit of its own" in the limiter. */
const UNBOUNDED = 1_000_000;

export class AdaptiveSessionLimit {
  readonly #options: AdaptiveSessionLimitOptions;
  readonly #limiter: Limiter;
  /** Waits after refusals for which the environment named no time. */
  readonly #backingOff = new Set<WakeableSleep>();
  #ceiling: number;
  /** Open sessions that are not being closed. */
  #inUse = 0;
  #peak = 0;
  #rejections = 0;
  #waitMs = 0;
  /** Sessions that were opened since the last refusal or the last growth. */
  #acceptances = 0;
  #lastShrinkMs = Number.NEGATIVE_INFINITY;
  #lastRejectionMs = Number.NEGATIVE_INFINITY;
  /** Time of the first refusal since the environment last accepted something; null = there was none. */
  #refusedSinceMs: number | null = null;

  constructor(options: AdaptiveSessionLimitOptions) {
    this.#options = options;
    this.#ceiling = Math.min(options.maxSessions, UNBOUNDED);
    this.#limiter = new Limiter(this.#ceiling);
  }

  get stats(): SessionStats {
    const { limit } = this.#limiter;
    return { limit, rejections: this.#rejections, waitS: this.#waitMs / 1000, peak: this.#peak };
  }

  /** Since when the environment has refused everything; null while a session is in use, or when nothing was refused. */
  get fullSinceMs(): number | null {
    return this.#inUse === 0 ? this.#refusedSinceMs : null;
  }

  /** True when {@link acquire} would not wait. */
  get hasCapacity(): boolean {
    return this.#limiter.waiting === 0 && this.#limiter.active < this.#limiter.limit;
  }

  /** Changes how many sessions the configuration allows at once; open ones are left alone. */
  setCeiling(maxSessions: number): void {
    const before = this.#ceiling;
    this.#ceiling = Math.min(maxSessions, UNBOUNDED);
    // A limit that refusals have lowered rises by itself, slowly.
    const isOwnLimit = this.#limiter.limit === before;
    if (isOwnLimit || this.#limiter.limit > this.#ceiling) this.#limiter.resize(this.#ceiling);
  }

  /** Resolves, when one more session is allowed, with a function that releases its place. */
  acquire(options: AcquireOptions): Promise<() => void> {
    return this.#limiter.acquire(options);
  }

  /** The environment opened a session. When it has long refused none, the limit grows by one after as many openings as the limit. */
  opened(): void {
    this.#inUse += 1;
    this.#peak = Math.max(this.#peak, this.#inUse);
    this.#acceptances += 1;
    this.accepted();
    const { limit } = this.#limiter;
    const isQuiet = this.#options.clock.monotonic() - this.#lastRejectionMs >= GROW_AFTER_MS;
    if (limit >= this.#ceiling || this.#acceptances < limit || !isQuiet) return;
    this.#acceptances = 0;
    this.#limiter.resize(limit + 1);
  }

  /** A session is about to be closed: the environment may free its place before the answer arrives. */
  closing(): void {
    this.#inUse -= 1;
  }

  /** Wakes one that was refused, unless the environment named a time to wait. */
  closed(): void {
    const [first] = this.#backingOff;
    if (first === undefined) return;
    this.#backingOff.delete(first);
    first.wake();
  }

  /** The environment did what was asked. */
  accepted(): void {
    this.#refusedSinceMs = null;
  }

  /** The environment refused because it is full. */
  refused(): void {
    const nowMs = this.#options.clock.monotonic();
    this.#rejections += 1;
    this.#acceptances = 0;
    this.#lastRejectionMs = nowMs;
    this.#refusedSinceMs ??= nowMs;
  }

  /** Lowers the limit, because a session was refused. */
  shrink(): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#lastShrinkMs < SHRINK_INTERVAL_MS) return;
    this.#lastShrinkMs = nowMs;
    // Half of the sessions that were requested, but no fewer than are in use: those evidently fit.
    const half = Math.floor(this.#limiter.active / 2);
    this.#limiter.resize(Math.max(1, this.#inUse, half));
  }

  /** Waits before the next try: as long as the environment asked, else longer with each refusal in a row, `refusals` in all. */
  async waitForCapacity(refusal: AppError, refusals: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const askedMs = refusal.data["retryAfterMs"];
    const isAsked = typeof askedMs === "number";
    const startedMs = clock.monotonic();
    const sleep = new WakeableSleep();
    if (!isAsked) this.#backingOff.add(sleep);
    try {
      await sleep.sleep(
        clock,
        isAsked ? askedMs : backoffMs(BACKOFF, refusals - 1, random),
        signal,
      );
    } finally {
      this.#backingOff.delete(sleep);
      this.#waitMs += clock.monotonic() - startedMs;
    }
  }

  /** Keeps the place; if the limit has fallen below it meanwhile, releases it and waits for the next one. */
  async keepOrReacquire(release: () => void, signal: AbortSignal): Promise<() => void> {
    if (this.#limiter.active <= this.#limiter.limit) return release;
    // Queues in front of attempts that have not asked yet, and does so before the release.
    const next = this.acquire({ atHead: true, signal });
    release();
    return await next;
  }

  /** Ends the waits of {@link waitForCapacity}; the time without a session counts from now. */
  retryNow(): void {
    if (this.#refusedSinceMs !== null) this.#refusedSinceMs = this.#options.clock.monotonic();
    for (const sleep of this.#backingOff) sleep.wake();
  }
}
