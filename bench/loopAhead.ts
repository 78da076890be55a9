/** Whole runs that sample ahead, against the time that their schedule needs with the services alone. */

import { runLoop } from "../src/core/training/loop.ts";
import { START } from "../src/core/training/loopPosition.ts";
import type { BenchRun } from "./benchRun.ts";
import { TRAINING_MS } from "./fakeTimes.ts";
import { contextFor, slowestRolloutMs } from "./loopSteps.ts";
import { print } from "./measure.ts";
import { observe } from "./observe.ts";

const STEPS = 14;
/** Not counted: the program is compiled and connections are opened meanwhile. */
const WARM_STEPS = 2;
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
  const endsMs: number[] = [];
  const context = {
    ...contextFor({ ...sized, config }, batchSize, groupSize, stepsAhead + 1),
    totalSteps: STEPS,
    reporting: {
      ...sized.reporting,
      watch: (event: { readonly kind: string }) => {
        if (event.kind === "step-finished") endsMs.push(performance.now());
      },
    },
  };
  const { measurements } = await observe("ahead", () => runLoop(context, START, IDENTITY));
  const ideals = idealEnds(stepsAhead, (step) =>
    slowestRolloutMs(context, step, batchSize, groupSize),
  );
  const name = `${stepsAhead} ahead, ${batchSize}x${groupSize}`;
  const tookMs = sinceWarm(endsMs);
  const steps = STEPS - WARM_STEPS;
  print({ name: `${name}: a step`, value: tookMs / steps / 1000, unit: "s" });
  print({
    name: `${name}: time over the schedule's (aim 1.05)`,
    value: tookMs / sinceWarm(ideals),
    unit: "x",
  });
  for (const measurement of measurements) print(measurement);
}

/** When each step ends, in milliseconds from the start, when only rollouts and updates take time. */
function idealEnds(stepsAhead: number, rolloutMs: (step: number) => number): readonly number[] {
  const ends: number[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const issuedMs = ends[step - stepsAhead - 1] ?? 0;
    const readyMs = issuedMs + rolloutMs(step);
    ends.push(Math.max(ends[step - 1] ?? 0, readyMs) + TRAINING_MS);
  }
  return ends;
}

/** From the end of the last warm step to the end of the run. */
function sinceWarm(endsMs: readonly number[]): number {
  return (endsMs.at(-1) ?? Number.NaN) - (endsMs[WARM_STEPS - 1] ?? Number.NaN);
}
