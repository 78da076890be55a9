/** Reports an outage of a service once after it has lasted half a minute, and once when it is over. */

import type { Clock } from "../ports.ts";

/** Shorter outages are not reported. */
const REPORT_AFTER_MS = 30_000;

export interface OutageNoticeOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Called when nothing has succeeded for half a minute. */
  readonly onOutage: (reason: string) => void;
  /** Called when a reported outage is over. */
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

  /** Duration of the current outage and its latest reason; null if there is none. */
  get outage(): { readonly forMs: number; readonly reason: string } | null {
    if (this.#sinceMs === null) return null;
    return { forMs: this.#options.clock.monotonic() - this.#sinceMs, reason: this.#reason };
  }

  /** Call when a try failed. */
  failed(reason: string): void {
    const nowMs = this.#options.clock.monotonic();
    this.#sinceMs ??= nowMs;
    this.#reason = reason;
    if (nowMs - this.#sinceMs >= REPORT_AFTER_MS) this.report(this.#options.onOutage, reason);
  }

  /** Call when a try failed for a reason that will last longer than half a minute. */
  failedForLong(reason: string): void {
    this.#sinceMs ??= this.#options.clock.monotonic();
    this.#reason = reason;
    this.report(this.#options.onOutage, reason);
  }

  /** Reports a lasting problem immediately, unless an earlier report is still open. */
  report(report: (reason: string) => void, reason: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    report(reason);
  }

  /** Call when the service answered, but not necessarily successfully: the current outage ends, but a reported one stays open. */
  answered(): void {
    this.#sinceMs = null;
  }

  /** Call when a request succeeded. */
  recovered(): void {
    this.#sinceMs = null;
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#options.onRecovered();
  }

  /** Restarts the timer of the current outage. */
  restart(): void {
    if (this.#sinceMs !== null) this.#sinceMs = this.#options.clock.monotonic();
  }
}
