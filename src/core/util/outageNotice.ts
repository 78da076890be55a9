/** Reports an outage of a service once when it has lasted half a minute, and once when it is over. */

import type { Clock } from "../ports.ts";

/** Shorter outages are not reported. */
const REPORT_AFTER_MS = 30_000;

export interface OutageNoticeOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Nothing has succeeded for half a minute. */
  readonly onOutage: (reason: string) => void;
  /** What was reported is over. */
  readonly onRecovered: () => void;
}

export class OutageNotice {
  readonly #options: OutageNoticeOptions;
  #sinceMs: number | null = null;
  #reason = "";
  #isReported = false;

  constructor(options: OutageNoticeOptions) {
    this.#options = options;
  }

  /** Duration of the current outage and its last reason; null when there is none. */
  get outage(): { readonly forMs: number; readonly reason: string } | null {
    if (this.#sinceMs === null) return null;
    return { forMs: this.#options.clock.monotonic() - this.#sinceMs, reason: this.#reason };
  }

  /** A try failed. */
  failed(reason: string): void {
    const nowMs = this.#options.clock.monotonic();
    this.#sinceMs ??= nowMs;
    this.#reason = reason;
    if (nowMs - this.#sinceMs >= REPORT_AFTER_MS) this.report(this.#options.onOutage, reason);
  }

  /** A try failed with what is not over within half a minute. */
  failedForLong(reason: string): void {
    this.#sinceMs ??= this.#options.clock.monotonic();
    this.#reason = reason;
    this.report(this.#options.onOutage, reason);
  }

  /** Reports a lasting problem at once, unless an earlier report is not over. */
  report(report: (reason: string) => void, reason: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    report(reason);
  }

  /** The service answered, though not necessarily with success: an outage that was reported is not over. */
  answered(): void {
    this.#sinceMs = null;
  }

  /** A request succeeded. */
  recovered(): void {
    this.#sinceMs = null;
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#options.onRecovered();
  }

  /** An outage counts from now. */
  restart(): void {
    if (this.#sinceMs !== null) this.#sinceMs = this.#options.clock.monotonic();
  }
}
