/** Owns the count of the time in which a session waits for its environment to start. */

import type { Clock } from "../ports.ts";

export interface StartingMeter {
  /** Milliseconds so far, the present wait included; waits that overlap count once. */
  readonly totalMs: number;
  /** Counts from `sinceMs` (monotonic) until the returned function is called; repeats of that call are harmless. */
  begin(sinceMs: number): () => void;
}

export function createStartingMeter(clock: Clock): StartingMeter {
  const waits = new Set<symbol>();
  let endedMs = 0;
  let sinceMs = clock.monotonic();
  const presentMs = (): number => (waits.size === 0 ? 0 : clock.monotonic() - sinceMs);
  let countedUntilMs = sinceMs;
  return {
    get totalMs() {
      return endedMs + presentMs();
    },
    begin(fromMs) {
      const wait = Symbol("wait");
      if (waits.size === 0) sinceMs = Math.max(fromMs, countedUntilMs);
      waits.add(wait);
      return () => {
        const isLast = waits.size === 1 && waits.has(wait);
        if (isLast) {
          endedMs += presentMs();
          countedUntilMs = clock.monotonic();
        }
        waits.delete(wait);
      };
    },
  };
}
