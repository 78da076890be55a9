/** Limits concurrent sample submits, and holds the pause shared by all samplers of a connection. */

import type { Clock } from "../ports.ts";
import { Limiter } from "../util/limiter.ts";

export interface SamplingGateOptions {
  readonly clock: Clock;
  /** Limit on the total prompt size in flight. */
  readonly promptBytes: number;
}

const submitLimit = 400;
const slowSubmitLimit = 10;
const slowStartMs = 10_000;
const slowCostFactor = 20;
/** Size of one prompt token in a request. */
export const PROMPT_BYTES_PER_TOKEN = 10;
const smallPromptBytes = 128 * 1024;

/**
 * Allows 400 concurrent submits. After a 429, all submits pause for one or five seconds; for ten seconds after that, only ten may
 * be in flight and each prompt counts twentyfold: `docs/protocols/tinker.md#limits-of-sampling`.
 */
export class SamplingGate {
  readonly #clock: Clock;
  readonly #slots = new Limiter(submitLimit);
  readonly #bytes: Limiter;
  #opensAtMs = 0;

  constructor({ clock, promptBytes }: SamplingGateOptions) {
    this.#clock = clock;
    this.#bytes = new Limiter(Math.ceil(promptBytes));
  }

  /** Pauses every sampler for the requested delay, or by default for one that depends on the prompt's size; never shortens a pause. */
  pause(promptTokens: number, askedDelayMs: number | null): void {
    const ownMs = promptTokens * PROMPT_BYTES_PER_TOKEN <= smallPromptBytes ? 1_000 : 5_000;
    this.#opensAtMs = Math.max(this.#opensAtMs, this.#clock.monotonic() + (askedDelayMs ?? ownMs));
  }

  /** Resolves once a prompt may be submitted, with a function to call when the submit is done. */
  async enter(promptTokens: number, signal: AbortSignal): Promise<() => void> {
    for (;;) {
      await this.#pass(signal);
      this.#adjust();
      const leave = await this.#takeSlot(promptTokens, signal);
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

  async #takeSlot(promptTokens: number, signal: AbortSignal): Promise<() => void> {
    const leaveSlot = await this.#slots.acquire({ signal });
    try {
      const cost = promptTokens * PROMPT_BYTES_PER_TOKEN * (this.#isSlow() ? slowCostFactor : 1);
      const giveBytes = await this.#bytes.acquire({ units: cost, signal });
      return () => {
        giveBytes();
        this.#adjust();
        leaveSlot();
      };
    } catch (error) {
      leaveSlot();
      throw error;
    }
  }

  #adjust(): void {
    const limit = this.#isSlow() ? slowSubmitLimit : submitLimit;
    if (limit !== this.#slots.limit) this.#slots.resize(limit);
  }

  #isSlow(): boolean {
    return this.#opensAtMs > 0 && this.#clock.monotonic() < this.#opensAtMs + slowStartMs;
  }
}
