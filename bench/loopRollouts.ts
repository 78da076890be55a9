/** Plays rollouts like a step, without training on them. */

import type { FinishedRollout, RolloutTask } from "../src/core/rollout/rollout.ts";
import { rolloutSeed } from "../src/core/rollout/seeds.ts";
import { collectRollouts } from "../src/core/training/generation/collectRollouts.ts";
import { runLimits } from "../src/core/training/run/context.ts";
import { datumLength } from "../src/core/training/update/datums.ts";
import { sum } from "../src/shared/mean.ts";
import { type BenchRun, ENVIRONMENT } from "./benchRun.ts";
import { CALLS_BEFORE_ANSWER } from "./fakeTimes.ts";
import { print } from "./measure.ts";
import { observe, type Taken, take } from "./observe.ts";

/** Enough rollouts that ramp-up and ramp-down matter as little as in a run. */
const ROLLOUTS = 1_024;
/** Target for CPU seconds per 1,000 rollouts. */
const CPU_AIM_S = 6;
/** Unmeasured rollouts, so that the code is loaded. */
const WARM_UP_ROLLOUTS = 128;
const GROUP_SIZE = 8;
const TURNS = CALLS_BEFORE_ANSWER + 1;

/**
 * Measures at least a thousand rollouts, `inFlight` at a time, and then as many twice more, unwatched: V8 keeps compiling for
 * thousands of rollouts, and the first thousand bear that cost.
 */
export async function benchRollouts(run: BenchRun, inFlight: number): Promise<void> {
  await play(run, Math.min(inFlight, WARM_UP_ROLLOUTS), tasks(0, WARM_UP_ROLLOUTS));
  const name = `${inFlight} in flight`;
  const count = Math.max(inFlight, ROLLOUTS);
  const playStep = (step: number) => () => play(run, inFlight, tasks(step, count));
  const requestsBefore = run.requests();
  const { measurements, ...first } = await observe(name, playStep(1));
  const requests = run.requests() - requestsBefore;
  const whole = first.result.filter(({ record }) => record.turns.length === TURNS);
  print({ name: `${name}: rollouts of ${TURNS} turns`, value: whole.length, unit: `of ${count}` });
  print({ name: `${name}: requests`, value: requests, unit: "sent" });
  for (const measurement of measurements) print(measurement);
  printTaken(name, first);
  printTaken(`${name}, again`, await take(playStep(2)));
  printTaken(`${name}, a third time`, await take(playStep(3)));
}

function printTaken(
  name: string,
  { result, cpuS, systemS, wallS }: Taken<readonly FinishedRollout[]>,
): void {
  const perThousand = 1000 / result.length;
  const cpuName = `${name}: CPU per 1,000 rollouts (aim ${CPU_AIM_S})`;
  print({ name: cpuName, value: cpuS * perThousand, unit: "s" });
  print({ name: `${name}: of it in the system`, value: systemS * perThousand, unit: "s" });
  print({ name: `${name}: rollouts`, value: result.length / wallS, unit: "per second" });
}

/** Time until the first sample is requested. */
export async function benchStart(run: BenchRun): Promise<void> {
  const startedMs = performance.now();
  await play(run, GROUP_SIZE, tasks(0, GROUP_SIZE));
  const firstMs = run.firstSampleAtMs() ?? Number.NaN;
  const name = "first sample is asked for";
  print({ name: `${name}, since the process began`, value: firstMs, unit: "ms" });
  print({ name: `${name}, since the training began`, value: firstMs - startedMs, unit: "ms" });
}

async function play(
  { context }: BenchRun,
  inFlight: number,
  rollouts: readonly RolloutTask[],
): Promise<readonly FinishedRollout[]> {
  const config = {
    ...context.config,
    max_rollout_concurrency: inFlight,
    // The client determines the measured pace, not this limit.
    max_samples_in_flight: inFlight,
  };
  const { sha256 } = context.ports;
  const sampler = await context.services.client.ephemeralSampler();
  return await collectRollouts({ ...context, config, limits: runLimits(config) }, rollouts, {
    sampler,
    seedOf: (task, turn) => rolloutSeed(sha256, config.seed, task, turn),
    onFinished: ({ record }) => context.storage.store.addRollout(record),
    onUsed: ({ group: position, rollout }, tokens, streams) =>
      context.storage.usage.add({
        for: "rollout",
        version: 0,
        position,
        rollout,
        tokens,
        data: sum(streams.map(datumLength)),
      }),
  });
}

/** Each measurement is a separate step, so that its records go to separate files. */
function tasks(step: number, count: number): readonly RolloutTask[] {
  return Array.from({ length: count }, (_, i) => {
    const group = Math.floor(i / GROUP_SIZE);
    return {
      step,
      group,
      rollout: i % GROUP_SIZE,
      taskKey: `${ENVIRONMENT}:train:${group}#${group}`,
      environment: ENVIRONMENT,
      split: "train",
      index: group,
    };
  });
}
