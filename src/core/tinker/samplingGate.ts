/** The pause that all samplers of a connection share when the service asks them to slow down. */

import type { Clock } from "../ports.ts";

export class SamplingGate {
  readonly #clock: Clock;
  #opensAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds every sampler for `ms` from now, or longer if it is held already. */
  pause(ms: number): void {
    this.#opensAtMs = Math.max(this.#opensAtMs, this.#clock.monotonic() + ms);
  }

  /** Resolves as soon as no pause is on. */
  async pass(signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = this.#opensAtMs - this.#clock.monotonic();
      if (waitMs <= 0) return;
      await this.#clock.sleep(waitMs, signal);
    }
  }
}
