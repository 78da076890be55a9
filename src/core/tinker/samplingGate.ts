/** Bounds how many samples are submitted at once, and holds the pause that all samplers of a connection share. */

import type { Clock } from "../ports.ts";
import { Limiter } from "../util/limiter.ts";

export interface SamplingGateOptions {
  readonly clock: Clock;
  /** Bound of the prompts in progress. */
  readonly promptBytes: number;
}

const submitLimit = 400;
const slowSubmitLimit = 10;
const slowStartMs = 10_000;
const slowCostFactor = 20;
/** What a token of a prompt takes in a request. */
export const PROMPT_BYTES_PER_TOKEN = 10;
const smallPromptBytes = 128 * 1024;

/**
 * Lets 400 submits through at once. After a 429 no one submits for a second or five, and for ten seconds after that only
 * ten submits are in progress and each prompt counts twentyfold: `docs/protocols/tinker.md#limits-of-sampling`.
 */
export class SamplingGate {
  readonly #clock: Clock;
  readonly #places = new Limiter(submitLimit);
  readonly #bytes: Limiter;
  #opensAtMs = 0;

  constructor({ clock, promptBytes }: SamplingGateOptions) {
    this.#clock = clock;
    this.#bytes = new Limiter(Math.ceil(promptBytes));
  }

  /** Holds every sampler, by default for as long as a prompt of that size asks for, or longer if it is held already. */
  pause(promptTokens: number, askedDelayMs: number | null): void {
    const ownMs = promptTokens * PROMPT_BYTES_PER_TOKEN <= smallPromptBytes ? 1_000 : 5_000;
    this.#opensAtMs = Math.max(this.#opensAtMs, this.#clock.monotonic() + (askedDelayMs ?? ownMs));
  }

  /** Resolves when a prompt may be submitted, with a function to call once the submit is over. */
  async enter(promptTokens: number, signal: AbortSignal): Promise<() => void> {
    for (;;) {
      await this.#pass(signal);
      this.#adjust();
      const leave = await this.#takePlace(promptTokens, signal);
      if (this.#clock.monotonic() >= this.#opensAtMs) return leave;
      leave();
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = this.#opensAtMs - this.#clock.monotonic();
      if (waitMs <= 0) return;
      await this.#clock.sleep(waitMs, signal);
    }
  }

  async #takePlace(promptTokens: number, signal: AbortSignal): Promise<() => void> {
    const leavePlace = await this.#places.acquire({ signal });
    try {
      const cost = promptTokens * PROMPT_BYTES_PER_TOKEN * (this.#isSlow() ? slowCostFactor : 1);
      const giveBytes = await this.#bytes.acquire({ places: cost, signal });
      return () => {
        giveBytes();
        this.#adjust();
        leavePlace();
      };
    } catch (error) {
      leavePlace();
      throw error;
    }
  }

  #adjust(): void {
    const limit = this.#isSlow() ? slowSubmitLimit : submitLimit;
    if (limit !== this.#places.limit) this.#places.resize(limit);
  }

  #isSlow(): boolean {
    return this.#opensAtMs > 0 && this.#clock.monotonic() < this.#opensAtMs + slowStartMs;
  }
}
