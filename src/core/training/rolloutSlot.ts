/** A rollout's place among those that the whole run plays at once. */

import type { Clock } from "../ports.ts";
import type { Limiter } from "../util/limiter.ts";

export interface RolloutSlotOptions {
  readonly clock: Clock;
  readonly places: Limiter;
  readonly signal: AbortSignal;
}

export class RolloutSlot {
  readonly #options: RolloutSlotOptions;
  releaseSlot: () => void = () => undefined;
  #queuedMs = 0;

  private constructor(options: RolloutSlotOptions) {
    this.#options = options;
  }

  /** Resolves when there is a place. Rejects with the reason of the signal. */
  static async take(options: RolloutSlotOptions): Promise<RolloutSlot> {
    const slot = new RolloutSlot(options);
    await slot.#queue(() => slot.acquire(false));
    return slot;
  }

  /** Time without a place: before the first one, and while the place was given to others. */
  get queuedMs(): number {
    return this.#queuedMs;
  }

  release(): void {
    this.releaseSlot();
  }

  /** Gives the place to others while `wait` goes on, and takes the next that is free after it. */
  releaseDuring<Result>(wait: () => Promise<Result>): Promise<Result> {
    return this.#queue(async () => {
      this.release();
      const result = await wait();
      await this.acquire(true);
      return result;
    });
  }

  async acquire(atHead: boolean): Promise<void> {
    const { places, signal } = this.#options;
    this.releaseSlot = await places.acquire({ atHead, signal });
  }

  async #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    const { clock } = this.#options;
    const startedMs = clock.monotonic();
    const result = await work();
    this.#queuedMs += clock.monotonic() - startedMs;
    return result;
  }
}
