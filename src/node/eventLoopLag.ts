/** Measures how late the event loop of this process runs its timers. */

import { monitorEventLoopDelay } from "node:perf_hooks";

const TICK_MS = 20;

/** Measures from now on. Each call gives the 99th percentile since the call before, in milliseconds; null when there was no time to measure. */
export function measureLag(): () => number | null {
  const histogram = monitorEventLoopDelay({ resolution: TICK_MS });
  histogram.enable();
  return () => {
    const { count } = histogram;
    // What is recorded is the time between two ticks.
    const lagMs = histogram.percentile(99) / 1e6 - TICK_MS;
    histogram.reset();
    return count === 0 ? null : Math.max(0, lagMs);
  };
}
