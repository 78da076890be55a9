/**
 * What an action does to this process: processor time, memory, and how long the event loop is held up. Other work on the machine
 * makes delays longer; the processor time between two ticks is the share of this process itself. Watching takes processor time, too.
 */

import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { systemClock } from "../src/node/clock.ts";
import type { Measurement } from "./measure.ts";

const DELAY_RESOLUTION_MS = 20;
const MEMORY_INTERVAL_MS = 250;
const TICK_MS = 25;

/** What an action took. */
export interface Taken<Result> {
  readonly result: Result;
  /** Processor time of all threads. */
  readonly cpuS: number;
  /** The part of it that the operating system took, for sockets above all. */
  readonly systemS: number;
  readonly wallS: number;
}

export interface Observed<Result> extends Taken<Result> {
  /** Memory and delays, named after the action. */
  readonly measurements: readonly Measurement[];
}

/** Runs `action` and does nothing beside it. */
export async function take<Result>(action: () => Promise<Result>): Promise<Taken<Result>> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const result = await action();
  const { user, system } = process.cpuUsage(before);
  const wallS = (performance.now() - startedMs) / 1000;
  return { result, cpuS: (user + system) / 1e6, systemS: system / 1e6, wallS };
}

/** Runs `action` and watches what it does to the process. */
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
  // Delays are seen between two ticks, so there is one before the action and one after it.
  await systemClock.sleep(2 * DELAY_RESOLUTION_MS);
  const taken = await take(action);
  await systemClock.sleep(2 * DELAY_RESOLUTION_MS);
  delay.disable();
  clearInterval(timer);
  const tickMs = ticks.stop();
  noteMemory();
  // What is recorded is the time between two ticks.
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

/** Notes the processor time, of all threads, that goes by between two timers. */
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
