/** The Clock port on Node's timers. */

import type { Clock } from "../core/ports.ts";

/** Longest delay that Node's timers hold; anything longer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
  after: (ms, action) => {
    const timer = setTimeout(action, timerMs(ms));
    return () => clearTimeout(timer);
  },
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, timerMs(ms));
    function onAbort(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

function timerMs(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_TIMER_MS);
}
