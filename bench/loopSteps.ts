/** Whole steps against the time that the services alone need for them. */

import type { RolloutTask } from "../src/core/rollout/rollout.ts";
import { rolloutSeed } from "../src/core/rollout/seeds.ts";
import type { SamplingClient } from "../src/core/tinker/samplingClient.ts";
import { type RunContext, runLimits } from "../src/core/training/context.ts";
import { runStep } from "../src/core/training/step.ts";
import { median, print } from "./measure.ts";
import { observe } from "./observe.ts";
import { ENVIRONMENT, type StandInRun } from "./standInRun.ts";
import { CALLS_BEFORE_ANSWER, rolloutMs, TRAINING_MS } from "./standInTimes.ts";

const STEPS = 5;

/** Measures steps of `batchSize` groups of `groupSize` rollouts each, all of them in flight at once. */
export async function benchSteps(
  run: StandInRun,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  const context = contextFor(run.context, batchSize, groupSize);
  const name = `${batchSize}x${groupSize}`;
  let sampler = await context.client.ephemeralSampler();
  const step = async (index: number): Promise<number> => {
    const items = Array.from({ length: batchSize }, (_, i) =>
      context.sequence.itemAt(index * batchSize + i),
    );
    const startedMs = performance.now();
    sampler = await playStep(context, sampler, index, items);
    return performance.now() - startedMs;
  };
  await step(0);
  const { result, measurements } = await observe(`${name} steps`, async () => {
    const shares: number[] = [];
    for (let index = 1; index <= STEPS; index++) {
      const ideal = idealMs(context, index, batchSize, groupSize);
      shares.push((await step(index)) / ideal);
    }
    return shares;
  });
  print({ name: `${name} steps: time over ideal, median`, value: median(result), unit: "x" });
  print({ name: `${name} steps: time over ideal, worst`, value: Math.max(...result), unit: "x" });
  for (const measurement of measurements) print(measurement);
}

function contextFor(context: RunContext, batchSize: number, groupSize: number): RunContext {
  const { environments } = context.config;
  const own = environments[ENVIRONMENT];
  if (own === undefined) throw new Error(`The run has no ${ENVIRONMENT}.`);
  const config = {
    ...context.config,
    batch_size: batchSize,
    max_rollout_concurrency: batchSize * groupSize,
    environments: { [ENVIRONMENT]: { ...own, num_rollouts: groupSize } },
  };
  return { ...context, config, limits: runLimits(config) };
}

/** The sampler after the step. */
async function playStep(
  context: RunContext,
  sampler: SamplingClient,
  step: number,
  items: Parameters<typeof runStep>[1]["items"],
): Promise<SamplingClient> {
  const { trained } = await runStep(context, {
    ...{ step, items, sampler },
    cursor: (step + 1) * items.length,
    optimizerUpdates: step,
    totals: { sampled: 0, prefill: 0, trained: 0 },
    elapsedS: [],
    extra: {},
  });
  if (trained === null) throw new Error("Nothing was trained.");
  return trained.sampler;
}

/** The longest of the step's rollouts and the training after it. */
function idealMs(
  { config, sequence, sha256 }: RunContext,
  step: number,
  batchSize: number,
  groupSize: number,
): number {
  const timeOf = (task: Pick<RolloutTask, "environment" | "split" | "index">, rollout: number) => {
    const key = { ...task, step, rollout };
    const turns = Array.from({ length: CALLS_BEFORE_ANSWER + 1 }, (_, turn) =>
      rolloutSeed(sha256, config.seed, key, 0, turn),
    );
    return rolloutMs(turns);
  };
  const times = Array.from({ length: batchSize * groupSize }, (_, i) => {
    const item = sequence.itemAt(step * batchSize + Math.floor(i / groupSize));
    return timeOf(item, i % groupSize);
  });
  return Math.max(...times) + TRAINING_MS;
}
