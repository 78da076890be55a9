/**
 * Measures what an action costs this process: CPU time, memory, and event-loop delays. Other load on the machine makes delays longer;
 * the CPU time between two ticks is this process's own share. Observing takes CPU time too.
 */

import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { systemClock } from "../src/node/clock.ts";
import type { Measurement } from "./measure.ts";

const DELAY_RESOLUTION_MS = 20;
const MEMORY_INTERVAL_MS = 250;
const TICK_MS = 25;

/** Result and cost of an action. */
export interface Taken<Result> {
  readonly result: Result;
  /** CPU time of all threads. */
  readonly cpuS: number;
  /** The part of it spent in the operating system, mostly for sockets. */
  readonly systemS: number;
  readonly wallS: number;
}

export interface Observed<Result> extends Taken<Result> {
  /** Memory and delays, named after the action. */
  readonly measurements: readonly Measurement[];
}

/** Runs `action` without observing it. */
export async function take<Result>(action: () => Promise<Result>): Promise<Taken<Result>> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const result = await action();
  const { user, system } = process.cpuUsage(before);
  const wallS = (performance.now() - startedMs) / 1000;
  return { result, cpuS: (user + system) / 1e6, systemS: system / 1e6, wallS };
}

/** Runs `action` and observes its effect on the process. */
export async function observe<Result>(
  name: string,
  action: () => Promise<Result>,
): Promise<Observed<Result>> {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  let heap = 0;
  let resident = 0;
  const noteMemory = (): void => {
    const { heapUsed, rss } = process.memoryUsage();
    heap = Math.max(heap, heapUsed);
    resident = Math.max(resident, rss);
  };
  const timer = setInterval(noteMemory, MEMORY_INTERVAL_MS);
  const ticks = watchTicks();
  delay.enable();
  // Delays are measured between two ticks, so this allows one before the action and one after it.
  await systemClock.sleep(2 * DELAY_RESOLUTION_MS);
  const taken = await take(action);
  await systemClock.sleep(2 * DELAY_RESOLUTION_MS);
  delay.disable();
  clearInterval(timer);
  const tickMs = ticks.stop();
  noteMemory();
  // The recorded value is the time between two ticks.
  const delayMs = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e6 - DELAY_RESOLUTION_MS);
  return {
    ...taken,
    measurements: [
      { name: `${name}: resident at most`, value: resident / 2 ** 20, unit: "MiB" },
      { name: `${name}: heap at most`, value: heap / 2 ** 20, unit: "MiB, garbage included" },
      { name: `${name}: event-loop delay, p99`, value: delayMs(delay.percentile(99)), unit: "ms" },
      { name: `${name}: event-loop delay, maximum`, value: delayMs(delay.max), unit: "ms" },
      { name: `${name}: work between ticks, p99`, value: percentile(tickMs, 99), unit: "CPU-ms" },
      { name: `${name}: work between ticks, maximum`, value: Math.max(...tickMs), unit: "CPU-ms" },
    ],
  };
}

/** Records the CPU time of all threads between two timer ticks. */
function watchTicks(): { readonly stop: () => readonly number[] } {
  const tickMs: number[] = [];
  let before = process.cpuUsage();
  const timer = setInterval(() => {
    const now = process.cpuUsage();
    tickMs.push((now.user + now.system - before.user - before.system) / 1000);
    before = now;
  }, TICK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return tickMs;
    },
  };
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length * percent) / 100)] ?? Number.NaN;
}
