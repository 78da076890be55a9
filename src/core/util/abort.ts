/** Abort signals linked to other signals, and time limits as abort signals based on the clock port. */

import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { type WithTimerPaused, withoutTimer } from "./withTimerPaused.ts";

type Parents = readonly (AbortSignal | undefined)[];

export interface LinkedSignal {
  /** Aborted with the first parent that aborts, for the same reason, or by {@link abort}. */
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Detaches from the parents; call it when the work is done. */
  clear(): void;
}

export interface TimeLimit {
  /** Null = no limit. */
  readonly limitMs: number | null;
  /** Creates the abort reason when time is up. */
  readonly onLimit: () => Error;
}

export interface LimitOptions extends TimeLimit {
  readonly clock: Clock;
  /** The first of these to abort ends the work, too. */
  readonly parents?: Parents;
}

export interface Deadline extends LinkedSignal {
  /** True if this limit ended the work, rather than a parent or a part's limit. */
  readonly isExpired: () => boolean;
  /** Runs `action` with the timer paused; calls may overlap. */
  readonly withTimerPaused: WithTimerPaused;
  /**
   * Runs `action`, a part of the work, with its own limit, whose timer it can pause separately. If the part exceeds its limit,
   * the whole work ends, because both share one signal (cheaper than one per part), and the result of `onLimit` is thrown. With
   * `isPausedWithWhole`, pausing the whole work also pauses the part.
   */
  runPart<T>(
    limit: TimeLimit & { readonly isPausedWithWhole?: boolean },
    action: (withTimerPaused: WithTimerPaused) => Promise<T>,
  ): Promise<T>;
}

export function linkSignals(parents: Parents): LinkedSignal {
  return new Link(parents);
}

/** Starts a deadline that runs until it is cleared. */
export function deadline(options: LimitOptions): Deadline {
  return new RunningDeadline(options);
}

/** Creates an AppError `timeout`. */
export function timeoutError(what: string, limitMs: number | null): AppError {
  return new AppError("timeout", `${what} took longer than ${(limitMs ?? 0) / 1000} s.`);
}

/**
 * Runs `action` under a limit and passes it the deadline, whose signal it must obey. If the limit ends it, throws the result of
 * `onLimit`.
 */
export async function withLimit<T>(
  options: LimitOptions,
  action: (limit: Deadline) => Promise<T>,
): Promise<T> {
  const limit = deadline(options);
  try {
    return await action(limit);
  } catch (error) {
    if (limit.isExpired()) throw limit.signal.reason;
    throw error;
  } finally {
    limit.clear();
  }
}

/** Resolves with the result of `work`, or rejects with the signal's reason once it aborts; the result is then ignored. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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

class Link implements LinkedSignal {
  readonly #parents: Parents;
  readonly #controller = new AbortController();

  constructor(parents: Parents) {
    this.#parents = parents;
    if (parents.some((parent) => parent?.aborted)) this.#follow();
    else for (const parent of parents) parent?.addEventListener("abort", this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  clear(): void {
    for (const parent of this.#parents) parent?.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => {
    this.abort(this.#parents.find((parent) => parent?.aborted)?.reason);
  };
}

class RunningDeadline implements Deadline {
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #timer: PausableTimer | null;
  /** Timers of parts that are paused with the whole. */
  readonly #followers = new Set<PausableTimer>();

  constructor({ clock, parents = [], ...limit }: LimitOptions) {
    this.#link = new Link(parents);
    this.#clock = clock;
    this.#timer = this.#start(limit);
  }

  get signal(): AbortSignal {
    return this.#link.signal;
  }

  abort(reason: unknown): void {
    this.#link.abort(reason);
  }

  readonly isExpired = (): boolean => this.#timer?.isExpired === true;

  readonly withTimerPaused: WithTimerPaused = <T>(action: () => Promise<T>) => {
    const timers = [...this.#followers, ...(this.#timer === null ? [] : [this.#timer])];
    return timers.reduce<() => Promise<T>>((run, timer) => () => timer.whilePaused(run), action)();
  };

  async runPart<T>(
    { isPausedWithWhole = false, ...limit }: TimeLimit & { readonly isPausedWithWhole?: boolean },
    action: (withTimerPaused: WithTimerPaused) => Promise<T>,
  ): Promise<T> {
    const timer = this.#start(limit);
    if (timer === null) return await action(withoutTimer);
    if (isPausedWithWhole) this.#followers.add(timer);
    try {
      return await action((wait) => timer.whilePaused(wait));
    } catch (error) {
      if (timer.isExpired) throw this.signal.reason;
      throw error;
    } finally {
      timer.stop();
      this.#followers.delete(timer);
    }
  }

  clear(): void {
    this.#timer?.stop();
    this.#link.clear();
  }

  #start({ limitMs, onLimit }: TimeLimit): PausableTimer | null {
    if (limitMs === null || this.signal.aborted) return null;
    return new PausableTimer(this.#clock, limitMs, () => {
      if (this.signal.aborted) return false;
      this.abort(onLimit());
      return true;
    });
  }
}

/** A one-shot timer that can be paused. Pausing does not touch the clock's own timer; when that fires, it checks how much time is left. */
class PausableTimer {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onEnd: () => boolean;
  readonly #startedAtMs: number;
  #pausedMs = 0;
  #pausedAtMs = 0;
  #pauses = 0;
  /** Null while no timer is set. */
  #stopTimer: (() => void) | null = null;
  #isStopped = false;
  #isExpired = false;

  /** `onEnd` returns false if the work had already ended otherwise. */
  constructor(clock: Clock, limitMs: number, onEnd: () => boolean) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onEnd = onEnd;
    this.#startedAtMs = clock.monotonic();
    this.#wait(limitMs);
  }

  get isExpired(): boolean {
    return this.#isExpired;
  }

  async whilePaused<T>(action: () => Promise<T>): Promise<T> {
    if (this.#pauses === 0) this.#pausedAtMs = this.#clock.monotonic();
    this.#pauses += 1;
    try {
      return await action();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#continue();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer?.();
  }

  #continue(): void {
    this.#pausedMs += this.#clock.monotonic() - this.#pausedAtMs;
    if (this.#stopTimer === null && !this.#isStopped) this.#wait(this.#leftMs());
  }

  #leftMs(): number {
    return this.#limitMs + this.#pausedMs + this.#startedAtMs - this.#clock.monotonic();
  }

  #wait(leftMs: number): void {
    this.#stopTimer = this.#clock.after(leftMs, this.#look);
  }

  readonly #look = (): void => {
    this.#stopTimer = null;
    if (this.#pauses > 0) return;
    const leftMs = this.#leftMs();
    if (leftMs > 0) this.#wait(leftMs);
    else this.#isExpired = this.#onEnd();
  };
}

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
