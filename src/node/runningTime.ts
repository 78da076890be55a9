/** A clock that excludes time while the program was suspended, because the computer slept or the process was stopped by a signal. */

/** How often the clock checks that the program is running. */
const NOTE_MS = 1_000;
/** A longer gap between two checks counts as a suspension; even work that blocks the event loop takes far less. */
const STANDSTILL_MS = 10_000;

export class RunningTime {
  readonly #read: () => number;
  #notedMs: number | null = null;
  #standstillMs = 0;

  /** `read` returns monotonic milliseconds; whether they advance during a suspension depends on the system. */
  constructor(read: () => number) {
    this.#read = read;
  }

  /** Monotonic milliseconds that exclude suspensions. */
  now(): number {
    const nowMs = this.#read();
    if (this.#notedMs === null) setInterval(() => this.now(), NOTE_MS).unref();
    else if (nowMs - this.#notedMs > STANDSTILL_MS) this.#standstillMs += nowMs - this.#notedMs;
    this.#notedMs = nowMs;
    return nowMs - this.#standstillMs;
  }

  /** Calls `action` after the program has run for another `ms`, unless the returned function is called first. */
  after(ms: number, action: () => void): () => void {
    const dueMs = this.now() + ms;
    const look = (): void => {
      const leftMs = dueMs - this.now();
      // Timers may fire a fraction of a millisecond early.
      if (leftMs < 1) action();
      else timer = setTimeout(look, timerMs(leftMs));
    };
    let timer = setTimeout(look, timerMs(ms));
    return () => clearTimeout(timer);
  }
}

/** Maximum delay of Node's timers; a longer one would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Clamps a delay to what Node's timers support. */
export function timerMs(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_TIMER_MS);
}
