/** A clock that moves only when a test says so. */

import type { Clock } from "../../../src/core/ports.ts";

interface Sleeper {
  readonly wakeMs: number;
  readonly wake: () => void;
}

export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = {
        wakeMs: this.#nowMs + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      if (signal?.aborted) return onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  after(ms: number, action: () => void): () => void {
    const sleeper = {
      wakeMs: this.#nowMs + ms,
      wake: () => {
        this.#sleepers.delete(sleeper);
        action();
      },
    };
    this.#sleepers.add(sleeper);
    return () => void this.#sleepers.delete(sleeper);
  }

  /** Moves on by `ms`, waking sleepers in their order and letting each react. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(); next && next.wakeMs <= endMs; next = this.#next()) {
      this.#nowMs = next.wakeMs;
      next.wake();
      await settle();
    }
    this.#nowMs = endMs;
  }

  /** Jumps from sleeper to sleeper until the promise settles, and returns what it gives. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const watched = promise.finally(() => {
      isSettled = true;
    });
    watched.catch(() => undefined);
    await settle();
    while (!isSettled) {
      const next = this.#next();
      if (next === undefined) throw new Error("Nothing sleeps, but the promise is pending.");
      await this.advance(next.wakeMs - this.#nowMs);
    }
    return watched;
  }

  #next(): Sleeper | undefined {
    return [...this.#sleepers].sort((a, b) => a.wakeMs - b.wakeMs)[0];
  }
}

/** Lets all promises that can go on do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
