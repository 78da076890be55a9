/** How long a run has been paused. */

import type { Clock } from "../../ports.ts";

/** Pauses by command and pauses of training and evaluation while nothing can be played may overlap; such time counts once. */
export class PausedTime {
  readonly #clock: Pick<Clock, "monotonic">;
  #active = 0;
  #sinceMs = 0;
  #endedMs = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Milliseconds, including those of a pause in progress. */
  get totalMs(): number {
    return this.#endedMs + (this.#active === 0 ? 0 : this.#clock.monotonic() - this.#sinceMs);
  }

  /** Counts the time of `pause`, however it ends. */
  async during<T>(pause: () => Promise<T>): Promise<T> {
    if (this.#active === 0) this.#sinceMs = this.#clock.monotonic();
    this.#active += 1;
    try {
      return await pause();
    } finally {
      this.#active -= 1;
      if (this.#active === 0) this.#endedMs += this.#clock.monotonic() - this.#sinceMs;
    }
  }
}
