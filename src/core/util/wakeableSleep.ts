/** Sleeps that another caller can end early. */

import type { Clock } from "../ports.ts";
import { linkSignals, raceAbort } from "./abort.ts";

/** Created once, because an error with a stack trace each time would cost more than the sleep. */
const WOKEN = new Error("The sleep was ended.");

export class WakeableSleep {
  readonly #sleeping = new Set<AbortController>();
  #isWakePending = false;

  /** Ends all current sleeps. */
  wake(): void {
    for (const waking of [...this.#sleeping]) waking.abort(WOKEN);
  }

  /** Like {@link wake}, but if there is no current sleep, the next one ends immediately. For events that must not be missed. */
  wakeOrSkipNext(): void {
    this.#isWakePending = this.#sleeping.size === 0;
    this.wake();
  }

  /** Resolves with false after `ms`, or with true if woken before. Rejects with the reason of `signal`. */
  sleep(clock: Pick<Clock, "sleep">, ms: number, signal?: AbortSignal): Promise<boolean> {
    return this.during((woken) => clock.sleep(ms, woken), signal);
  }

  /** Resolves only when woken. Rejects with the reason of `signal`. */
  async untilWoken(signal?: AbortSignal): Promise<void> {
    await this.during((woken) => raceAbort(new Promise<never>(() => undefined), woken), signal);
  }

  /** Like {@link sleep}, for any wait that ends with its signal. */
  async during(
    wait: (signal: AbortSignal) => Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const waking = new AbortController();
    this.#sleeping.add(waking);
    if (this.#isWakePending) waking.abort(WOKEN);
    this.#isWakePending = false;
    const link = linkSignals([signal, waking.signal]);
    try {
      await wait(link.signal);
      return false;
    } catch (error) {
      if (signal?.aborted === true || !waking.signal.aborted) throw error;
      return true;
    } finally {
      link.clear();
      this.#sleeping.delete(waking);
    }
  }
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
export async function sleepUntilAborted(
  clock: Pick<Clock, "sleep">,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
