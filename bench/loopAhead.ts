/** Whole runs that sample ahead, against the time that their schedule needs with the services alone. */

import { runLoop } from "../src/core/training/loop.ts";
import { START } from "../src/core/training/step/loopPosition.ts";
import type { BenchRun } from "./benchRun.ts";
import { TRAINING_MS } from "./fakeTimes.ts";
import { contextFor, slowestRolloutMs } from "./loopSteps.ts";
import { print } from "./measure.ts";
import { observe } from "./observe.ts";

/** Behind the cold start, in which the first queue is played, the program compiled and connections are opened. */
const STEADY_STEPS = 12;
const IDENTITY = { runId: "bench", configHash: "", changedKeys: [], generation: 1 };

/** Runs steps of `batchSize` groups of `groupSize` rollouts each with `max_steps_off_policy: stepsAhead`. */
export async function benchAhead(
  run: BenchRun,
  stepsAhead: number,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  const sized = contextFor(run.context, batchSize, groupSize);
  const config = {
    ...sized.config,
    max_steps_off_policy: stepsAhead,
    probe_server: false,
    save_every: 0,
    rolling_save_every: 5,
  };
  const coldSteps = stepsAhead + 1;
  const steps = coldSteps + STEADY_STEPS;
  const endsMs: number[] = [];
  const context = {
    ...contextFor({ ...sized, config }, batchSize, groupSize, stepsAhead + 1),
    totalSteps: steps,
    reporting: {
      ...sized.reporting,
      watch: (event: { readonly kind: string }) => {
        if (event.kind === "step-finished") endsMs.push(performance.now());
      },
    },
  };
  const startMs = performance.now();
  const { measurements } = await observe("ahead", () => runLoop(context, START, IDENTITY));
  const ideals = idealEnds(stepsAhead, steps, (step) =>
    slowestRolloutMs(context, step, batchSize, groupSize),
  );
  const name = `${stepsAhead} ahead, ${batchSize}x${groupSize}`;
  const coldMs = (ends: readonly number[], fromMs: number) =>
    (ends[coldSteps - 1] ?? Number.NaN) - fromMs;
  const cold = coldMs(endsMs, startMs) / coldMs(ideals, 0);
  print({ name: `${name}: cold start over the schedule's`, value: cold, unit: "x" });
  const steadyMs = (ends: readonly number[]) =>
    (ends.at(-1) ?? Number.NaN) - (ends[coldSteps - 1] ?? Number.NaN);
  print({ name: `${name}: a step`, value: steadyMs(endsMs) / STEADY_STEPS / 1000, unit: "s" });
  const steady = steadyMs(endsMs) / steadyMs(ideals);
  print({ name: `${name}: time over the schedule's (aim 1.05)`, value: steady, unit: "x" });
  for (const measurement of measurements) print(measurement);
}

/** When each step ends, in milliseconds from the start, when only rollouts and updates take time. */
function idealEnds(
  stepsAhead: number,
  steps: number,
  rolloutMs: (step: number) => number,
): readonly number[] {
  const ends: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    const issuedMs = ends[step - stepsAhead - 1] ?? 0;
    const readyMs = issuedMs + rolloutMs(step);
    ends.push(Math.max(ends[step - 1] ?? 0, readyMs) + TRAINING_MS);
  }
  return ends;
}
