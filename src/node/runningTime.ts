/** Time in which this program ran, without that in which it stood still: on a computer that slept, or stopped by a signal. */

/** How often it is noted that the program runs. */
const NOTE_MS = 1_000;
/** A longer gap between two notes is a standstill. Work that keeps the event loop busy takes far less. */
const STANDSTILL_MS = 10_000;

export class RunningTime {
  readonly #read: () => number;
  #notedMs: number | null = null;
  #standstillMs = 0;

  /** `read` gives milliseconds that never jump back; whether they continue in a standstill depends on the system. */
  constructor(read: () => number) {
    this.#read = read;
  }

  /** Milliseconds that never jump back, and do not continue in a standstill. */
  now(): number {
    const nowMs = this.#read();
    if (this.#notedMs === null) setInterval(() => this.now(), NOTE_MS).unref();
    else if (nowMs - this.#notedMs > STANDSTILL_MS) this.#standstillMs += nowMs - this.#notedMs;
    this.#notedMs = nowMs;
    return nowMs - this.#standstillMs;
  }

  /** Calls `action` when the program has run for `ms` more, unless the returned function is called before. */
  after(ms: number, action: () => void): () => void {
    const dueMs = this.now() + ms;
    const look = (): void => {
      const leftMs = dueMs - this.now();
      // A timer may be early by a part of a millisecond.
      if (leftMs < 1) action();
      else timer = setTimeout(look, timerMs(leftMs));
    };
    let timer = setTimeout(look, timerMs(ms));
    return () => clearTimeout(timer);
  }
}

/** Longest delay that Node's timers hold; anything longer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A delay that Node's timers hold. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_TIMER_MS);
}
