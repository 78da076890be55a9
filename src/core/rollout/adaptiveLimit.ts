/**
 * How many sessions of one environment are open at once: as many as the configuration allows, fewer when the environment says it is
 * full, and slowly more again.
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
  /** Sessions that were in use at once. */
  readonly peak: number;
}

/** At most one reduction in this time, because many refusals arrive together. */
const SHRINK_INTERVAL_MS = 5_000;
const GROW_AFTER_MS = 10_000;
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.25 };
/** Longest wait before the environment is asked again, whatever time it named. */
const MAX_ASKED_MS = 5 * 60_000;
/** Stands for "no limit of its own" in the limiter. */
const UNBOUNDED = 1_000_000;

export class AdaptiveSessionLimit {
  readonly #options: AdaptiveSessionLimitOptions;
  readonly #limiter: Limiter;
  /** Attempts that were refused and wait before they ask again. */
  readonly #resting = new Set<WakeableSleep>();
  #ceiling: number;
  #open = 0;
  /** Open sessions that are not being closed. */
  #inUse = 0;
  #most = 0;
  #rejections = 0;
  #waitMs = 0;
  #cleanStarts = 0;
  #lastShrinkMs = Number.NEGATIVE_INFINITY;
  #lastRejectionMs = Number.NEGATIVE_INFINITY;
  /** Time of the first refusal since a session was last opened; null = there was none. */
  #refusedSinceMs: number | null = null;

  constructor(options: AdaptiveSessionLimitOptions) {
    this.#options = options;
    this.#ceiling = Math.min(options.maxSessions, UNBOUNDED);
    this.#limiter = new Limiter(this.#ceiling);
  }

  get stats(): SessionStats {
    const { limit } = this.#limiter;
    return { limit, rejections: this.#rejections, waitS: this.#waitMs / 1000, peak: this.#most };
  }

  /** Since when the environment has refused every session; null while a session is open, or when nothing was refused. */
  get fullSinceMs(): number | null {
    return this.#open === 0 ? this.#refusedSinceMs : null;
  }

  /** True when {@link enter} would not wait. */
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

  /** Resolves, when there is room for one more session, with a function that gives the place back. */
  enter(options: AcquireOptions): Promise<() => void> {
    return this.#limiter.acquire(options);
  }

  /** A session was opened in a place of this room. */
  opened(): void {
    this.#open += 1;
    this.#inUse += 1;
    this.#most = Math.max(this.#most, this.#inUse);
    this.#cleanStarts += 1;
    this.#refusedSinceMs = null;
    const { limit } = this.#limiter;
    const isQuiet = this.#options.clock.monotonic() - this.#lastRejectionMs >= GROW_AFTER_MS;
    if (limit >= this.#ceiling || this.#cleanStarts < limit || !isQuiet) return;
    this.#cleanStarts = 0;
    this.#limiter.resize(limit + 1);
  }

  /** A session is about to be closed: the environment may free its place before the answer arrives. */
  closing(): void {
    this.#inUse -= 1;
  }

  /** Wakes an attempt that was refused, unless the environment named a time to wait. */
  closed(): void {
    this.#open -= 1;
    const [first] = this.#resting;
    if (first === undefined) return;
    this.#resting.delete(first);
    first.wake();
  }

  /** The environment refused to answer for lack of room. */
  refused(): void {
    const nowMs = this.#options.clock.monotonic();
    this.#rejections += 1;
    this.#cleanStarts = 0;
    this.#lastRejectionMs = nowMs;
    this.#refusedSinceMs ??= nowMs;
  }

  /** Asks for fewer sessions at once, because one was refused. */
  shrink(): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#lastShrinkMs < SHRINK_INTERVAL_MS) return;
    this.#lastShrinkMs = nowMs;
    // Half of the sessions that were requested, but no fewer than are in use: those evidently fit.
    const half = Math.floor(this.#limiter.active / 2);
    this.#limiter.resize(Math.max(1, this.#inUse, half));
  }

  /** Waits before the next try: as long as the environment asked, else longer with each refusal in a row. */
  async waitForCapacity(refusal: AppError, refusals: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const asked = refusal.data["retryAfterMs"];
    const ownMs = backoffMs(BACKOFF, refusals - 1, random);
    const waitMs = typeof asked === "number" ? Math.min(asked, MAX_ASKED_MS) : ownMs;
    const startedMs = clock.monotonic();
    const sleep = new WakeableSleep();
    if (typeof asked !== "number") this.#resting.add(sleep);
    try {
      await sleep.sleep(clock, waitMs, signal);
    } finally {
      this.#resting.delete(sleep);
      this.#waitMs += clock.monotonic() - startedMs;
    }
  }

  /** Keeps the place; if the limit has fallen below it meanwhile, gives it back and waits for the next one. */
  async keepOrReacquire(release: () => void, signal: AbortSignal): Promise<() => void> {
    if (this.#limiter.active <= this.#limiter.limit) return release;
    // Queues in front of attempts that have not asked yet, and does so before it gives the place back.
    const next = this.enter({ atHead: true, signal });
    release();
    return await next;
  }

  /** Wakes all refused attempts; the time without a session counts from now. */
  retryNow(): void {
    if (this.#refusedSinceMs !== null) this.#refusedSinceMs = this.#options.clock.monotonic();
    for (const sleep of [...this.#resting]) sleep.wake();
  }
}
