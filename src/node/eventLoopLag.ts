/** Measures event loop lag. */

import { monitorEventLoopDelay } from "node:perf_hooks";

const TICK_MS = 20;

/** Starts measuring. Each call returns the 99th percentile lag in milliseconds since the previous call; null if there were no samples. */
export function measureLag(): () => number | null {
  const histogram = monitorEventLoopDelay({ resolution: TICK_MS });
  histogram.enable();
  return () => {
    const { count } = histogram;
    // The histogram records the time between two ticks.
    const lagMs = histogram.percentile(99) / 1e6 - TICK_MS;
    histogram.reset();
    return count === 0 ? null : Math.max(0, lagMs);
  };
}
