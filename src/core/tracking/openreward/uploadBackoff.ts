/** The back-off that all uploads share while the service refuses or fails; it never gives up. */

import type { Clock, Random } from "../../ports.ts";
import { type Backoff, backoffMs } from "../../util/backoff.ts";
import { OutageNotice } from "../../util/outageNotice.ts";
import { WakeableSleep } from "../../util/wakeableSleep.ts";
import type { Unavailable } from "./uploadClient.ts";

const BACKOFF: Backoff = { firstMs: 500, maxMs: 60_000, jitter: 0.5 };
/** Pause after a refused key, so that a wrong key costs the service little and a wrongly refused one still recovers. */
const DENIED_WAIT_MS = 10 * 60_000;

export interface UploadBackoffOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** An outage has lasted for half a minute. */
  readonly onOutage: (reason: string) => void;
  /** The service takes nothing from this client: the key or the address is wrong. */
  readonly onDenied: (reason: string) => void;
  /** The outage that was reported is over. */
  readonly onRecovered: () => void;
}

export class UploadBackoff {
  readonly #options: UploadBackoffOptions;
  #failures = 0;
  #notBeforeMs = 0;
  readonly #notice: OutageNotice;
  #isDenied = false;
  readonly #sleep = new WakeableSleep();

  constructor(options: UploadBackoffOptions) {
    const { clock, onOutage, onRecovered } = options;
    this.#options = options;
    this.#notice = new OutageNotice({ clock, onOutage, onRecovered });
  }

  /** Duration and reason of the current outage; null when there is none. */
  get outage(): { readonly forMs: number; readonly reason: string } | null {
    return this.#notice.outage;
  }

  /** True while the last answer was that the service takes nothing from this client. */
  get isDenied(): boolean {
    return this.#isDenied;
  }

  /** Lets the next request go at once, because the end of a run does not wait long. The time without success counts again. */
  retryNow(): void {
    const nowMs = this.#options.clock.monotonic();
    this.#failures = 0;
    this.#notBeforeMs = nowMs;
    this.#notice.restart();
    this.#isDenied = false;
    this.#sleep.wake();
  }

  /** Resolves when the next request may go. Rejects with the signal's reason. */
  async ready(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const waitMs = this.#notBeforeMs - clock.monotonic();
      if (waitMs <= 0) return;
      await this.#sleep.sleep(clock, waitMs, signal);
    }
  }

  denied(reason: string): void {
    const { clock, onDenied } = this.#options;
    this.#notBeforeMs = Math.max(this.#notBeforeMs, clock.monotonic() + DENIED_WAIT_MS);
    this.#isDenied = true;
    this.#notice.report(onDenied, reason);
  }

  failed({ reason, retryAfterMs }: Unavailable): void {
    const { clock, random } = this.#options;
    const nowMs = clock.monotonic();
    // Requests that were in progress together fail together; this counts as one failure.
    if (nowMs >= this.#notBeforeMs) this.#failures += 1;
    const waitMs = retryAfterMs ?? backoffMs(BACKOFF, this.#failures - 1, random);
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs + waitMs);
    this.#notice.failed(reason);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isDenied = false;
    this.#notice.recovered();
  }
}
