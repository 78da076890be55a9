/** Runs the garbage collector while the server is idle. */

import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

const LOOK_MS = 1_000;
/** Minimum heap growth that justifies a collection, which blocks the server for a tenth of a second. */
const MIN_GROWTH_BYTES = 16 * 2 ** 20;
/** Maximum event loop utilization that counts as idle. */
const MAX_UTILIZATION = 0.2;

/**
 * V8 collects once the heap has grown to a multiple of its live size, which an idle server never reaches: a large run that someone viewed
 * would stay in memory for hours. Does nothing in a process without `--expose-gc`. The returned function forces a collection at the next
 * idle moment regardless of growth, because released objects still count as used.
 */
export function collectWhenIdle(): () => void {
  const { gc } = globalThis;
  if (gc === undefined) return () => undefined;
  let keptBytes = usedBytes();
  let before = performance.eventLoopUtilization();
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > MAX_UTILIZATION || usedBytes() < keptBytes + MIN_GROWTH_BYTES) return;
    // Other flavors do not return most of the freed memory to the system.
    gc({ type: "major", flavor: "last-resort" });
    keptBytes = usedBytes();
  };
  setInterval(look, LOOK_MS).unref();
  return () => {
    keptBytes = 0;
  };
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}
