/** A service that does not answer: reported once when that has lasted, and once when it is over. */

import type { Clock } from "../ports.ts";

/** Shorter outages are not reported. */
const REPORT_AFTER_MS = 30_000;

export interface OutageNoticeOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Nothing has gone right for half a minute. */
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

  /** For how long nothing has gone right, and what went wrong last; null while all is well. */
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

  /** Reports at once what will not pass by itself, unless something was reported that is not over. */
  report(report: (reason: string) => void, reason: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    report(reason);
  }

  /** An answer came, which need not mean that what matters gets through: what was reported is not over. */
  answered(): void {
    this.#sinceMs = null;
  }

  /** What matters got through. */
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
