/** Waits that somebody else can end before their time. */

import { linkSignals, orAborted } from "./abort.ts";

export class Naps {
  readonly #napping = new Set<AbortController>();

  /** Ends all waits that are under way. */
  wake(): void {
    for (const nap of [...this.#napping]) nap.abort();
  }

  /** Resolves with true when it was woken, with false when `wait` was over before. Rejects with the reason of `signal`. */
  async during(
    wait: (signal: AbortSignal) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const nap = new AbortController();
    this.#napping.add(nap);
    const link = linkSignals([signal, nap.signal]);
    try {
      await wait(link.signal);
      return false;
    } catch (error) {
      if (signal?.aborted === true || !nap.signal.aborted) throw error;
      return true;
    } finally {
      link.clear();
      this.#napping.delete(nap);
    }
  }

  /** Resolves when it is woken, and not before. Rejects with the reason of `signal`. */
  async untilWoken(signal?: AbortSignal): Promise<void> {
    await this.during((woken) => orAborted(new Promise<never>(() => undefined), woken), signal);
  }
}
