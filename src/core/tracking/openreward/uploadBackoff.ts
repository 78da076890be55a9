/** The backoff shared by all uploads while the service rejects requests or fails; it never gives up. */

import type { Clock, Random } from "../../ports.ts";
import { type Backoff, backoffMs } from "../../util/backoff.ts";
import { OutageNotice } from "../../util/outageNotice.ts";
import { WakeableSleep } from "../../util/wakeableSleep.ts";
import type { Unavailable } from "./uploadClient.ts";

const BACKOFF: Backoff = { firstMs: 500, maxMs: 60_000, jitter: 0.5 };
/** Wait after a rejected key: a wrong key causes little load, and a wrongly rejected one still recovers. */
const DENIED_WAIT_MS = 10 * 60_000;

export interface UploadBackoffOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called when an outage has lasted half a minute. */
  readonly onOutage: (reason: string) => void;
  /** Called when the service rejects this client, because the key or the address is wrong. */
  readonly onDenied: (reason: string) => void;
  /** Called when a reported outage is over. */
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

  /** Duration and reason of the current outage; null if there is none. */
  get outage(): { readonly forMs: number; readonly reason: string } | null {
    return this.#notice.outage;
  }

  /** True if the last answer rejected this client altogether. */
  get isDenied(): boolean {
    return this.#isDenied;
  }

  /** Allows the next request immediately, because the end of a run does not wait long, and restarts the outage's timer. */
  retryNow(): void {
    const nowMs = this.#options.clock.monotonic();
    this.#failures = 0;
    this.#notBeforeMs = nowMs;
    this.#notice.restart();
    this.#isDenied = false;
    this.#sleep.wake();
  }

  /** Resolves when the next request may be sent. Rejects with the signal's reason. */
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
    // Requests in progress at the same time fail together; count that as one failure.
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
