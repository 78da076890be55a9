/** Whole runs on a service that updates weights in fixed cycles and samples with a bounded throughput. */

import { runLoop } from "../src/core/training/loop.ts";
import { runLimits } from "../src/core/training/run/context.ts";
import { START } from "../src/core/training/step/loopPosition.ts";
import type { BenchRun } from "./benchRun.ts";
import { CYCLE_MS, nextCycleMs, TOKENS_PER_SECOND } from "./fakeTimes.ts";
import { contextFor, slowestRolloutMs } from "./loopSteps.ts";
import { print } from "./measure.ts";
import { type Observed, observe } from "./observe.ts";

const IDENTITY = { runId: "bench", configHash: "", changedKeys: [], generation: 1 };
/** Not counted: the program is compiled and connections are opened meanwhile. */
const WARM_STEPS = 1;
/** Counted. Groups of up to 4 steps are issued one after the other, and then wait for the same cycle: only whole rounds have a mean. */
const STEPS = 12;

export interface CyclesRun {
  readonly stepsAhead: number;
  readonly batchSize: number;
  readonly groupSize: number;
  /** That are counted, behind those of the first queue and {@link WARM_STEPS}. */
  readonly steps: number;
  /** Null = the default. */
  readonly maxActiveTasks?: number | null;
}

export interface TimedRun extends Observed<unknown> {
  readonly stepMs: number;
  /** The same when no client takes time. */
  readonly idealMs: number;
  /** Rollouts of the whole run. */
  readonly rollouts: number;
  /** Sampled in a step. */
  readonly tokens: number;
}

/** Prints the time of a step beside what sampling, updates and the throughput of the service allow. */
export async function benchCycles(
  run: BenchRun,
  stepsAhead: number,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  const size = { batchSize, groupSize, steps: STEPS };
  const timed = await playSteps(run, { ...size, stepsAhead });
  const onPolicyMs = idealStepMs(run, { ...size, stepsAhead: 0 });
  const throughputMs = (timed.tokens / TOKENS_PER_SECOND) * 1000;
  const boundMs = Math.max(CYCLE_MS, onPolicyMs / (stepsAhead + 1), throughputMs);
  const name = `${stepsAhead} ahead, ${batchSize}x${groupSize}, cycles`;
  print({ name: `${name}: a step`, value: timed.stepMs / 1000, unit: "s" });
  print({ name: `${name}: R + T`, value: onPolicyMs / 1000, unit: "s" });
  print({ name: `${name}: T`, value: CYCLE_MS / 1000, unit: "s" });
  print({ name: `${name}: S`, value: throughputMs / 1000, unit: "s" });
  const over = timed.stepMs / boundMs;
  print({ name: `${name}: over max(T, (R + T) / (K + 1), S)`, value: over, unit: "x, aim 1.05" });
  const overIdeal = timed.stepMs / Math.max(timed.idealMs, throughputMs);
  print({ name: `${name}: over the same steps without a client`, value: overIdeal, unit: "x" });
  const cpuS = (timed.cpuS / timed.rollouts) * 1000;
  print({ name: `${name}: CPU per 1,000 rollouts`, value: cpuS, unit: "s, aim 6" });
  for (const measurement of timed.measurements) print(measurement);
}

/** Prints how much shorter a step is with the default of `max_active_tasks` than with the number that was the default before. */
export async function benchDefaults(
  run: BenchRun,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  const size = { stepsAhead: 0, batchSize, groupSize };
  const whole = await playSteps(run, { ...size, steps: 3 });
  const waves = await playSteps(run, { ...size, steps: 1, maxActiveTasks: 32 });
  const name = `max_active_tasks, ${batchSize}x${groupSize}, cycles`;
  print({ name: `${name}: a step with null`, value: whole.stepMs / 1000, unit: "s" });
  print({ name: `${name}: a step with 32`, value: waves.stepMs / 1000, unit: "s" });
  const ratio = whole.stepMs / waves.stepMs;
  print({ name: `${name}: null over 32`, value: ratio, unit: "x, expected 0.3 at most" });
}

export async function playSteps(run: BenchRun, options: CyclesRun): Promise<TimedRun> {
  const { stepsAhead, batchSize, groupSize, steps, maxActiveTasks = null } = options;
  const sized = contextFor(run.context, batchSize, groupSize);
  const config = {
    ...sized.config,
    max_steps_off_policy: stepsAhead,
    max_active_tasks: maxActiveTasks,
    max_rollout_concurrency: null,
    probe_server: false,
    save_every: 0,
    rolling_save_every: 5,
  };
  const totalSteps = stepsAhead + WARM_STEPS + steps;
  const endsMs: number[] = [];
  let tokens = 0;
  const watch: typeof sized.reporting.watch = (event) => {
    if (event.kind !== "step-finished") return;
    endsMs.push(Date.now());
    tokens = event.sampledTokens;
  };
  const reporting = { ...sized.reporting, watch };
  const context = { ...sized, config, limits: runLimits(config), totalSteps, reporting };
  const startMs = Date.now();
  const observed = await observe(`${stepsAhead} ahead, ${batchSize}x${groupSize}`, () =>
    runLoop(context, START, IDENTITY),
  );
  const countedMs = (ends: readonly number[]) =>
    ((ends.at(-1) ?? Number.NaN) - (ends.at(-1 - steps) ?? Number.NaN)) / steps;
  return {
    ...observed,
    stepMs: countedMs(endsMs),
    idealMs: countedMs(idealEnds(run, options, startMs)),
    rollouts: totalSteps * batchSize * groupSize,
    tokens,
  };
}

/** Mean over many steps. */
function idealStepMs(run: BenchRun, options: CyclesRun): number {
  const steps = 200;
  const ends = idealEnds(run, { ...options, steps }, 0);
  return (ends.at(-1) ?? Number.NaN) / ends.length;
}

/** When each step ends when only rollouts and the cycles of updates take time. */
function idealEnds(
  { context }: BenchRun,
  { stepsAhead, batchSize, groupSize, steps }: CyclesRun,
  startMs: number,
): readonly number[] {
  const ends: number[] = [];
  let cycleMs = Number.NEGATIVE_INFINITY;
  for (let step = 0; step < stepsAhead + WARM_STEPS + steps; step += 1) {
    const issuedMs = ends[step - stepsAhead - 1] ?? startMs;
    const readyMs = issuedMs + slowestRolloutMs(context, step, batchSize, groupSize);
    cycleMs = nextCycleMs(Math.max(readyMs, ends[step - 1] ?? 0), cycleMs);
    ends.push(cycleMs + CYCLE_MS);
  }
  return ends;
}
