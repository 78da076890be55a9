/** A rollout's slot among those that the whole run plays at once. */

import type { Clock } from "../../ports.ts";
import type { Limiter } from "../../util/limiter.ts";

export interface RolloutSlotOptions {
  readonly clock: Clock;
  readonly slots: Limiter;
  readonly signal: AbortSignal;
  /** Takes its first slot before those that wait for one. */
  readonly isUrgent: boolean;
}

export class RolloutSlot {
  readonly #options: RolloutSlotOptions;
  #release: () => void = () => undefined;
  #queuedMs = 0;

  private constructor(options: RolloutSlotOptions) {
    this.#options = options;
  }

  /** Resolves when there is a free slot. Rejects with the reason of the signal. */
  static async take(options: RolloutSlotOptions): Promise<RolloutSlot> {
    const slot = new RolloutSlot(options);
    await slot.#queue(() => slot.#acquire(options.isUrgent));
    return slot;
  }

  /** Time without a slot: before the first one, and while others had it. */
  get queuedMs(): number {
    return this.#queuedMs;
  }

  release(): void {
    this.#release();
  }

  /** Leaves the slot to others while `wait` continues, and takes the next that is free after it. */
  releaseDuring<Result>(wait: () => Promise<Result>): Promise<Result> {
    return this.#queue(async () => {
      this.release();
      const result = await wait();
      await this.#acquire(true);
      return result;
    });
  }

  async #acquire(atHead: boolean): Promise<void> {
    const { slots, signal } = this.#options;
    this.#release = await slots.acquire({ atHead, signal });
  }

  async #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    const { clock } = this.#options;
    const startedMs = clock.monotonic();
    const result = await work();
    this.#queuedMs += clock.monotonic() - startedMs;
    return result;
  }
}
