/** Waits that end early: some when there is news, all when the end comes. */

import type { Clock } from "../ports.ts";
import { linkSignals } from "../util/abort.ts";

export class Rest {
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  #news = new AbortController();

  /** Once `ending` is aborted, nothing waits any more. */
  constructor(clock: Clock, ending: AbortSignal) {
    this.#clock = clock;
    this.#ending = ending;
  }

  /** There is news, also for the next {@link untilNews}. */
  wake(): void {
    this.#news.abort();
  }

  async untilNews(ms: number): Promise<void> {
    const link = linkSignals([this.#ending, this.#news.signal]);
    await this.#sleep(ms, link.signal);
    link.clear();
    if (this.#news.signal.aborted) this.#news = new AbortController();
  }

  /** News does not end it. */
  async pause(ms: number): Promise<void> {
    await this.#sleep(ms, this.#ending);
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return;
    await this.#clock.sleep(ms, signal).catch(() => undefined);
  }
}
