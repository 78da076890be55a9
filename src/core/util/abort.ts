/** Abort signals that follow others, and time limits as abort signals on the clock port. */

import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";

type Parents = readonly (AbortSignal | undefined)[];

export interface LinkedSignal {
  /** Aborted with the first of its parents, with that one's reason, or by {@link abort}. */
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Stops following the parents; call it when the work is over. */
  clear(): void;
}

export interface LimitOptions {
  readonly clock: Clock;
  /** Null = no limit of its own. */
  readonly limitMs: number | null;
  /** What the signal is aborted with when the time is over. */
  readonly onLimit: () => Error;
  /** The first of these to abort ends it, too. */
  readonly parents?: Parents;
}

export interface Deadline extends LinkedSignal {
  /** True once the limit (and not a parent) ended it. */
  readonly isExpired: () => boolean;
  /** Runs `action` with the timer paused; several may overlap. */
  withTimerPaused<T>(action: () => Promise<T>): Promise<T>;
}

export function linkSignals(parents: Parents): LinkedSignal {
  return new Link(parents);
}

/** Runs from now until it is cleared. */
export function deadline(options: LimitOptions): Deadline {
  return new RunningDeadline(options);
}

/** AppError `timeout`. */
export function timeoutError(what: string, limitMs: number | null): AppError {
  return new AppError("timeout", `${what} took longer than ${(limitMs ?? 0) / 1000} s.`);
}

/**
 * Runs `action` under a limit and hands it the deadline, whose signal it must obey. Throws what `onLimit` gives when the limit
 * ended it.
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

/** The result of `work`, or a rejection with the signal's reason once it aborts; the result of the work is then ignored. */
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
  readonly #onLimit: () => Error;
  /** Null = no limit, or none any more. */
  #remainingMs: number | null;
  #startedAtMs = 0;
  #stopTimer: () => void = () => undefined;
  #pauses = 0;
  #expired = false;

  constructor({ clock, limitMs, onLimit, parents = [] }: LimitOptions) {
    this.#link = new Link(parents);
    this.#clock = clock;
    this.#onLimit = onLimit;
    this.#remainingMs = limitMs;
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#link.signal;
  }

  abort(reason: unknown): void {
    this.#link.abort(reason);
  }

  readonly isExpired = (): boolean => this.#expired;

  async withTimerPaused<T>(action: () => Promise<T>): Promise<T> {
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
    this.#stopTimer();
    this.#remainingMs = null;
    this.#link.clear();
  }

  #start(): void {
    if (this.#remainingMs === null || this.signal.aborted) return;
    this.#startedAtMs = this.#clock.monotonic();
    this.#stopTimer = this.#clock.after(this.#remainingMs, () => {
      if (this.signal.aborted) return;
      this.#expired = true;
      this.abort(this.#onLimit());
    });
  }

  #stop(): void {
    if (this.#remainingMs === null) return;
    this.#stopTimer();
    this.#remainingMs -= this.#clock.monotonic() - this.#startedAtMs;
  }
}
