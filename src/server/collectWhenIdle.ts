/** Collects the garbage of the server while it has little to do. */

import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

const LOOK_MS = 1_000;
/** Growth that is worth a collection, which keeps the server from answering for a tenth of a second. */
const MIN_GROWTH_BYTES = 16 * 2 ** 20;
/** The share of the time in which the server did something. */
const MAX_UTILIZATION = 0.2;

/**
 * V8 collects when the heap has grown to a multiple of what was in use, which a server that has nothing to do never reaches: a
 * large run that was looked at would stay in memory for hours. Does nothing in a process without `--expose-gc`. The function returned has the next
 * idle moment collect, however little the heap has grown: what was let go still counts as used.
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
    // Others leave most of the free memory with the process.
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
