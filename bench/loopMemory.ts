/** Memory of a run with long rollouts, compared to the idle program. */

import type { BenchRun } from "./benchRun.ts";
import { playSteps } from "./loopRuns.ts";
import { print } from "./measure.ts";

const INTERVAL_MS = 100;
const AIM = "MiB, aim 400";

interface Memory {
  readonly resident: number;
  /** The heap, including garbage, and buffers outside of it. */
  readonly heap: number;
  readonly buffers: number;
}

/** Prints the peak memory of a run whose rollouts have about 10,000 tokens, relative to before its first step. */
export async function benchMemory(
  run: BenchRun,
  stepsAhead: number,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  globalThis.gc?.();
  const idle = memory();
  let most = idle;
  const timer = setInterval(() => {
    most = larger(most, memory());
  }, INTERVAL_MS);
  const steps = 4;
  const timed = await playSteps(run, { stepsAhead, batchSize, groupSize, steps });
  clearInterval(timer);
  const name = `${stepsAhead} ahead, ${batchSize}x${groupSize}, long`;
  const tokens = timed.tokens / (batchSize * groupSize);
  print({ name: `${name}: sampled tokens a rollout`, value: tokens, unit: "tokens" });
  print({ name: `${name}: a step`, value: timed.stepMs / 1000, unit: "s" });
  const over = { resident: most.resident - idle.resident, heap: most.heap - idle.heap };
  print({ name: `${name}: resident over idle`, value: over.resident, unit: AIM });
  print({ name: `${name}: heap over idle`, value: over.heap, unit: AIM });
  print({ name: `${name}: buffers over idle`, value: most.buffers - idle.buffers, unit: AIM });
  print({ name: `${name}: resident when idle`, value: idle.resident, unit: "MiB" });
}

function memory(): Memory {
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { resident: rss / 2 ** 20, heap: heapUsed / 2 ** 20, buffers: arrayBuffers / 2 ** 20 };
}

function larger(a: Memory, b: Memory): Memory {
  return {
    resident: Math.max(a.resident, b.resident),
    heap: Math.max(a.heap, b.heap),
    buffers: Math.max(a.buffers, b.buffers),
  };
}
