/** Time limits as abort signals on the clock port. */

import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";

/** Ends a sleep that nobody waits for. Without a reason of ours the runtime would make an error with a stack each time. */
export function stopTimer(timer: AbortController): void {
  timer.abort(null);
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** True once the limit (and not the parent) ended it. */
  readonly isExpired: () => boolean;
  /** Runs `action` with the time standing still; several may overlap. */
  pausedWhile<T>(action: () => Promise<T>): Promise<T>;
  /** Stops the timer. */
  clear(): void;
}

/** A signal that follows `parent` and aborts with AppError `timeout` after `limitMs` (null = no limit of its own). */
export function deadline(
  clock: Clock,
  limitMs: number | null,
  what: string,
  parent?: AbortSignal,
): Deadline {
  return new RunningDeadline(clock, limitMs, what, parent);
}

class RunningDeadline implements Deadline {
  readonly #clock: Clock;
  readonly #limitMs: number | null;
  readonly #what: string;
  readonly #parent: AbortSignal | undefined;
  readonly #own = new AbortController();
  readonly #follow = (): void => this.#own.abort(this.#parent?.reason);
  #timer = new AbortController();
  #remainingMs: number;
  #startedAtMs = 0;
  #pauses = 0;
  #expired = false;

  constructor(clock: Clock, limitMs: number | null, what: string, parent?: AbortSignal) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#what = what;
    this.#parent = parent;
    this.#remainingMs = limitMs ?? 0;
    if (parent?.aborted === true) this.#follow();
    else parent?.addEventListener("abort", this.#follow, { once: true });
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  readonly isExpired = (): boolean => this.#expired;

  async pausedWhile<T>(action: () => Promise<T>): Promise<T> {
    if (this.#pauses === 0) this.#stop();
    this.#pauses += 1;
    try {
      return await action();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#start();
    }
  }

  clear(): void {
    stopTimer(this.#timer);
    this.#parent?.removeEventListener("abort", this.#follow);
  }

  #start(): void {
    if (this.#limitMs === null || this.#own.signal.aborted) return;
    this.#timer = new AbortController();
    this.#startedAtMs = this.#clock.monotonic();
    this.#clock.sleep(this.#remainingMs, this.#timer.signal).then(
      () => this.#expire(),
      () => undefined,
    );
  }

  #stop(): void {
    stopTimer(this.#timer);
    this.#remainingMs -= this.#clock.monotonic() - this.#startedAtMs;
  }

  #expire(): void {
    this.#expired = true;
    const seconds = (this.#limitMs ?? 0) / 1000;
    this.#own.abort(new AppError("timeout", `${this.#what} took longer than ${seconds} s.`));
  }
}

/**
 * Runs `action` under a limit and hands it the deadline, whose signal it must heed.
 * @throws AppError `timeout` when the limit ended it
 */
export async function withLimit<T>(
  clock: Clock,
  limitMs: number | null,
  what: string,
  parent: AbortSignal | undefined,
  action: (limit: Deadline) => Promise<T>,
): Promise<T> {
  const limit = deadline(clock, limitMs, what, parent);
  try {
    return await action(limit);
  } catch (error) {
    if (limit.isExpired()) throw limit.signal.reason;
    throw error;
  } finally {
    limit.clear();
  }
}

/** What comes of `work`, or a rejection with the signal's reason once it aborts; the work then goes on unwatched. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let follow = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    follow = () => reject(signal.reason);
    if (signal.aborted) follow();
    else signal.addEventListener("abort", follow, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", follow);
  }
}
