/** Whole runs that sample ahead, compared to the ideal schedule of the services. */

import { runLoop } from "../src/core/training/loop.ts";
import { runLimits } from "../src/core/training/run/context.ts";
import { START } from "../src/core/training/step/loopPosition.ts";
import type { BenchRun } from "./benchRun.ts";
import { CYCLE_MS, nextCycleMs, TOKENS_PER_SECOND, TRAINING_MS } from "./fakeTimes.ts";
import { contextFor, slowestRolloutMs } from "./loopSteps.ts";
import { print } from "./measure.ts";
import { type Observed, observe } from "./observe.ts";

const IDENTITY = { runId: "bench", configHash: "", generation: 1 };
/** Uncounted steps after the first queue, during which the program is compiled and connections are opened. */
const WARM_STEPS = 1;
/**
 * Counted steps. Groups of up to 4 steps are issued one after another and then wait for the same cycle, so only whole rounds have a mean.
 */
const STEPS = 12;

interface RunSize {
  /** `max_steps_off_policy`. */
  readonly stepsAhead: number;
  readonly batchSize: number;
  readonly groupSize: number;
  /** Number of counted steps after those of the first queue and {@link WARM_STEPS}. */
  readonly steps: number;
  /** Null = the default. */
  readonly maxActiveTasks?: number | null;
}

interface TimedRun extends Observed<unknown> {
  /** End of each step in milliseconds from the start. */
  readonly endsMs: readonly number[];
  readonly stepMs: number;
  /** Number of rollouts in the whole run. */
  readonly rollouts: number;
  /** Tokens sampled per step. */
  readonly tokens: number;
}

/** Prints the times of the cold start and of a step relative to the ideal schedule, on a service that updates weights immediately. */
export async function benchAhead(
  run: BenchRun,
  stepsAhead: number,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  const size = { stepsAhead, batchSize, groupSize, steps: STEPS };
  const { endsMs, stepMs, measurements } = await playSteps(run, size);
  const ideals = idealEnds(run, size, 0, (readyMs) => readyMs + TRAINING_MS);
  const name = `${stepsAhead} ahead, ${batchSize}x${groupSize}`;
  const coldMs = (ends: readonly number[]) => ends[stepsAhead] ?? Number.NaN;
  const cold = coldMs(endsMs) / coldMs(ideals);
  print({ name: `${name}: cold start over the schedule's`, value: cold, unit: "x" });
  print({ name: `${name}: a step`, value: stepMs / 1000, unit: "s" });
  const steady = stepMs / meanStepMs(ideals, STEPS);
  print({ name: `${name}: time over the schedule's (aim 1.05)`, value: steady, unit: "x" });
  for (const measurement of measurements) print(measurement);
}

/** Prints the time of a step next to the limits set by sampling, update cycles, and the service's throughput. */
export async function benchCycles(
  run: BenchRun,
  stepsAhead: number,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  const size = { stepsAhead, batchSize, groupSize, steps: STEPS };
  const startMs = Date.now();
  const timed = await playSteps(run, size);
  const idealMs = meanStepMs(idealEnds(run, size, startMs, cycles()), STEPS);
  // The mean over many steps.
  const onPolicy = idealEnds(run, { ...size, stepsAhead: 0, steps: 200 }, 0, cycles());
  const onPolicyMs = (onPolicy.at(-1) ?? Number.NaN) / onPolicy.length;
  const throughputMs = (timed.tokens / TOKENS_PER_SECOND) * 1000;
  const boundMs = Math.max(CYCLE_MS, onPolicyMs / (stepsAhead + 1), throughputMs);
  const name = `${stepsAhead} ahead, ${batchSize}x${groupSize}, cycles`;
  print({ name: `${name}: a step`, value: timed.stepMs / 1000, unit: "s" });
  print({ name: `${name}: R + T`, value: onPolicyMs / 1000, unit: "s" });
  print({ name: `${name}: T`, value: CYCLE_MS / 1000, unit: "s" });
  print({ name: `${name}: S`, value: throughputMs / 1000, unit: "s" });
  const over = timed.stepMs / boundMs;
  print({ name: `${name}: over max(T, (R + T) / (K + 1), S)`, value: over, unit: "x, aim 1.05" });
  const overIdeal = timed.stepMs / Math.max(idealMs, throughputMs);
  print({ name: `${name}: over the same steps without a client`, value: overIdeal, unit: "x" });
  const cpuS = (timed.cpuS / timed.rollouts) * 1000;
  print({ name: `${name}: CPU per 1,000 rollouts`, value: cpuS, unit: "s, aim 6" });
  for (const measurement of timed.measurements) print(measurement);
}

/** Prints how much shorter a step is with the default of `max_active_tasks` than with the previous default. */
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

export async function playSteps(run: BenchRun, size: RunSize): Promise<TimedRun> {
  const { stepsAhead, batchSize, groupSize, steps, maxActiveTasks = null } = size;
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
  const startMs = Date.now();
  const endsMs: number[] = [];
  let tokens = 0;
  const watch: typeof sized.reporting.watch = (event) => {
    if (event.kind !== "step-finished") return;
    endsMs.push(Date.now() - startMs);
    tokens = event.sampledTokens;
  };
  const reporting = { ...sized.reporting, watch };
  const context = { ...sized, config, limits: runLimits(config), totalSteps, reporting };
  const observed = await observe(`${stepsAhead} ahead, ${batchSize}x${groupSize}`, () =>
    runLoop(context, START, IDENTITY),
  );
  return {
    ...observed,
    endsMs,
    stepMs: meanStepMs(endsMs, steps),
    rollouts: totalSteps * batchSize * groupSize,
    tokens,
  };
}

/** Mean duration of the last steps. */
function meanStepMs(ends: readonly number[], steps: number): number {
  return ((ends.at(-1) ?? Number.NaN) - (ends.at(-1 - steps) ?? Number.NaN)) / steps;
}

/** With fixed cycles and one update per cycle: maps the time at which an update is ready to its end. */
function cycles(): (readyMs: number) => number {
  let cycleMs = Number.NEGATIVE_INFINITY;
  return (readyMs) => {
    cycleMs = nextCycleMs(readyMs, cycleMs);
    return cycleMs + CYCLE_MS;
  };
}

/** End of each step if only rollouts and updates took time; `updateEnd` maps the time at which an update is ready to its end. */
function idealEnds(
  { context }: BenchRun,
  { stepsAhead, batchSize, groupSize, steps }: RunSize,
  startMs: number,
  updateEnd: (readyMs: number) => number,
): readonly number[] {
  const ends: number[] = [];
  for (let step = 0; step < stepsAhead + WARM_STEPS + steps; step += 1) {
    const issuedMs = ends[step - stepsAhead - 1] ?? startMs;
    const playedMs = issuedMs + slowestRolloutMs(context, step, batchSize, groupSize);
    ends.push(updateEnd(Math.max(playedMs, ends[step - 1] ?? 0)));
  }
  return ends;
}
