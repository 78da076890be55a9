/** A clock that only moves when a test advances it. */

import type { Clock } from "../../src/core/ports.ts";

interface Sleeper {
  readonly wakeAtMs: number;
  readonly wake: () => void;
}

const maxJumps = 10_000;

export class FakeClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #nowMs = 0;

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  /** Number of pending sleeps and timers. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper: Sleeper = {
        wakeAtMs: this.#nowMs + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      const abort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort);
      this.#sleepers.add(sleeper);
    });
  }

  after(ms: number, action: () => void): () => void {
    const sleeper: Sleeper = {
      wakeAtMs: this.#nowMs + ms,
      wake: () => {
        this.#sleepers.delete(sleeper);
        action();
      },
    };
    this.#sleepers.add(sleeper);
    return () => void this.#sleepers.delete(sleeper);
  }

  /** Advances the time by `ms`, waking sleepers in order and letting their work settle. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(); next && next.wakeAtMs <= endMs; next = this.#next()) {
      this.#nowMs = next.wakeAtMs;
      next.wake();
      await settle();
    }
    this.#nowMs = endMs;
  }

  /** Jumps from sleeper to sleeper until `promise` settles, and returns it; `rest` waits for all other work. */
  async run<Result>(promise: Promise<Result>, rest = settle): Promise<Result> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    await rest();
    for (let jumps = 0; !isSettled; jumps++) {
      const next = this.#next();
      if (next === undefined || jumps === maxJumps) throw new Error("the promise never settles");
      this.#nowMs = Math.max(this.#nowMs, next.wakeAtMs);
      next.wake();
      await rest();
    }
    return await promise;
  }

  #next(): Sleeper | undefined {
    return [...this.#sleepers].toSorted((a, b) => a.wakeAtMs - b.wakeAtMs)[0];
  }
}

/** Runs iterations of the event loop, without advancing time, until the condition is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 5_000 && !isTrue(); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!isTrue()) throw new Error("What was waited for did not come.");
}

/** Event-loop iterations after which everything that can continue has done so. */
const SETTLE_TURNS = 5;

/** Runs all pending promise callbacks. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
