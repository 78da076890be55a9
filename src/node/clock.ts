/** The Clock port, implemented with Node's timers. */

import type { Clock } from "../core/ports.ts";
import { RunningTime, timerMs } from "./runningTime.ts";

const running = new RunningTime(() => performance.now());

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => running.now(),
  sleep,
  after: (ms, action) => running.after(ms, action),
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
