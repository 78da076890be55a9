/** A circuit breaker: stops attempts while an environment fails, and lets one at a time probe whether it works again. */

import type { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { WakeableSleep } from "../util/wakeableSleep.ts";

/** Pause before the next probing attempt. */
export const CIRCUIT_RETRY_MS = 30_000;

interface OpenCircuit {
  readonly fault: AppError;
  sinceMs: number;
  nextProbeMs: number;
  isProbing: boolean;
  isPaused: boolean;
}

export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #changed = new WakeableSleep();
  #opened: OpenCircuit | null = null;
  #openings = 0;

  /** `onChange` is called when the circuit has opened or closed. */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** What opened the circuit, when (on the monotonic clock), and whether an attempt is probing; null = closed. */
  get opened(): Readonly<Pick<OpenCircuit, "fault" | "sinceMs" | "isProbing">> | null {
    return this.#opened;
  }

  /** How often the circuit has opened. */
  get openings(): number {
    return this.#openings;
  }

  /** Resolves when an attempt may begin: at once, as the probing attempt, or when the circuit has closed. */
  async admit(signal: AbortSignal): Promise<void> {
    for (let opened = this.#opened; opened !== null; opened = this.#opened) {
      const waitMs = opened.nextProbeMs - this.#clock.monotonic();
      if (opened.isProbing || opened.isPaused) await this.#changed.untilWoken(signal);
      else if (waitMs > 0) await this.#changed.sleep(this.#clock, waitMs, signal);
      else {
        opened.isProbing = true;
        return;
      }
    }
  }

  /** Resolves when the circuit is closed. */
  async closed(signal: AbortSignal): Promise<void> {
    while (this.#opened !== null) await this.#changed.untilWoken(signal);
  }

  /** Ends a probe with success. The end of an attempt that began before the circuit opened does not close it. */
  succeeded(): void {
    if (this.#opened?.isProbing === true) this.close();
  }

  /** Opens the circuit, or ends a probe without success. */
  failed(fault: AppError): void {
    const nowMs = this.#clock.monotonic();
    const nextProbeMs = nowMs + CIRCUIT_RETRY_MS;
    if (this.#opened?.isProbing === true) {
      Object.assign(this.#opened, { isProbing: false, nextProbeMs });
      this.#changed.wake();
    } else if (this.#opened === null) {
      this.#opened = { fault, sinceMs: nowMs, nextProbeMs, isProbing: false, isPaused: false };
      this.#openings += 1;
      this.#onChange();
    }
  }

  close(): void {
    if (this.#opened === null) return;
    this.#opened = null;
    this.#changed.wake();
    this.#onChange();
  }

  /** Lets no attempt probe until {@link retryNow}. */
  pauseProbes(): void {
    if (this.#opened !== null) this.#opened.isPaused = true;
  }

  /** Lets the next attempt probe at once; the time for which the circuit has been open counts from now. */
  retryNow(): void {
    if (this.#opened === null) return;
    const nowMs = this.#clock.monotonic();
    Object.assign(this.#opened, { isPaused: false, nextProbeMs: nowMs, sinceMs: nowMs });
    this.#changed.wake();
  }
}
