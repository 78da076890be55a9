/**
 * A circuit breaker: holds attempts back while the environment fails most of them, and lets one at a time probe whether it works again.
 */

import type { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { Limiter } from "../util/limiter.ts";
import { WakeableSleep } from "../util/wakeableSleep.ts";

/** The circuit opens when, of this many last attempts, `FAILING_SHARE` failed because of the environment. */
const WINDOW = 20;
const FAILING_SHARE = 0.8;
/** Pause before the next probing attempt. */
export const CIRCUIT_RETRY_MS = 30_000;

interface Opened {
  readonly fault: AppError;
  sinceMs: number;
  triesAtMs: number;
  /** An attempt is probing the environment. */
  isTrying: boolean;
  isHeld: boolean;
  tries: number;
}

export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  /** Attempts wait in a queue; only the first one watches the clock. */
  readonly #turn = new Limiter(1);
  readonly #sleep = new WakeableSleep();
  readonly #closing = new WakeableSleep();
  #failures: boolean[] = [];
  #opened: Opened | null = null;
  #openings = 0;

  /** `onChange` is called when the circuit has opened or closed. */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** What opened the circuit and when, on the monotonic clock; null = closed. `tries` counts the probing attempts that failed. */
  get opened(): Pick<Opened, "fault" | "sinceMs" | "tries"> | null {
    return this.#opened;
  }

  /** How often the circuit has opened. */
  get openings(): number {
    return this.#openings;
  }

  /** Resolves when an attempt may begin: at once, as the probing attempt, or when the circuit has closed. */
  async admit(signal: AbortSignal): Promise<void> {
    if (this.#opened === null) return;
    const release = await this.#turn.acquire({ signal });
    try {
      for (let opened = this.#opened; opened !== null; opened = this.#opened) {
        const restMs = opened.triesAtMs - this.#clock.monotonic();
        const mayTry = !opened.isTrying && !opened.isHeld;
        if (mayTry && restMs <= 0) {
          opened.isTrying = true;
          return;
        }
        const sleepMs = mayTry ? restMs : CIRCUIT_RETRY_MS;
        await this.#sleep.sleep(this.#clock, sleepMs, signal);
      }
    } finally {
      release();
    }
  }

  /** Resolves when the circuit is closed. */
  async closed(signal: AbortSignal): Promise<void> {
    if (this.#opened !== null) await this.#closing.untilWoken(signal);
  }

  /** An attempt ended without a fault of the environment. One that began before the circuit opened does not close it. */
  succeeded(): void {
    if (this.#opened === null) this.#note(false);
    else if (this.#opened.isTrying) this.close();
  }

  /** An attempt failed because of the environment. */
  failed(fault: AppError): void {
    if (this.#opened !== null) {
      this.waitAgain(this.#opened);
      return;
    }
    this.#note(true);
    const failed = this.#failures.filter((isFailure) => isFailure).length;
    if (this.#failures.length === WINDOW && failed >= FAILING_SHARE * WINDOW) this.open(fault);
  }

  /** Opens the circuit, whatever the last attempts did. */
  open(fault: AppError): void {
    if (this.#opened !== null) {
      this.waitAgain(this.#opened);
      return;
    }
    const nowMs = this.#clock.monotonic();
    const triesAtMs = nowMs + CIRCUIT_RETRY_MS;
    const fresh = { isTrying: false, isHeld: false, tries: 0 };
    this.#opened = { fault, sinceMs: nowMs, triesAtMs, ...fresh };
    this.#failures = [];
    this.#openings += 1;
    this.#onChange();
  }

  close(): void {
    this.#opened = null;
    this.#failures = [];
    this.#sleep.wake();
    this.#closing.wake();
    this.#onChange();
  }

  /** Lets no attempt probe until {@link retryNow}. */
  holdTrials(): void {
    if (this.#opened !== null) this.#opened.isHeld = true;
  }

  /** Lets the next attempt probe at once; the time for which the circuit has been open counts from now. */
  retryNow(): void {
    const opened = this.#opened;
    if (opened === null) return;
    const nowMs = this.#clock.monotonic();
    Object.assign(opened, { isHeld: false, triesAtMs: nowMs, sinceMs: nowMs });
    this.#sleep.wake();
  }

  waitAgain(opened: Opened): void {
    if (opened.isTrying) opened.tries += 1;
    opened.isTrying = false;
    opened.triesAtMs = this.#clock.monotonic() + CIRCUIT_RETRY_MS;
    this.#sleep.wake();
  }

  #note(isFailure: boolean): void {
    this.#failures.push(isFailure);
    if (this.#failures.length > WINDOW) this.#failures.shift();
  }
}
