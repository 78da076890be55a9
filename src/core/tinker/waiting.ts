/** Time in which the service lets a caller wait instead of working for it. */

import type { Clock } from "../ports.ts";

/** Runs `action` while the caller's own clock stands still. */
export type PausedWhile = <Result>(action: () => Promise<Result>) => Promise<Result>;

/** For callers without a clock of their own. */
export const unpaused: PausedWhile = (action) => action();

export interface WaitMeter {
  /** Milliseconds of all waits that have ended. */
  waitedMs(): number;
  readonly pausedWhile: PausedWhile;
}

/** Measures waits that follow one another, and passes each on to `outer`. */
export function createWaitMeter(clock: Clock, outer: PausedWhile = unpaused): WaitMeter {
  let totalMs = 0;
  return {
    waitedMs: () => totalMs,
    pausedWhile: async (action) => {
      const startedAtMs = clock.monotonic();
      try {
        return await outer(action);
      } finally {
        totalMs += clock.monotonic() - startedAtMs;
      }
    },
  };
}
