/** Whole steps compared to the time that the services alone need. */

import { rolloutSeed } from "../src/core/rollout/seeds.ts";
import type { SamplingClient } from "../src/core/tinker/samplingClient.ts";
import { type RunContext, runLimits } from "../src/core/training/run/context.ts";
import type { Watcher } from "../src/core/training/run/progress.ts";
import { type TaskItem, taskKeyOf } from "../src/core/training/tasks/dataset.ts";
import { runStep } from "../test/core/training/playedStep.ts";
import { type BenchRun, ENVIRONMENT } from "./benchRun.ts";
import { CALLS_BEFORE_ANSWER, rolloutMs, TRAINING_MS } from "./fakeTimes.ts";
import { median, print } from "./measure.ts";
import { observe } from "./observe.ts";

const STEPS = 5;

/** Measures steps of `batchSize` groups of `groupSize` rollouts, all in flight at once. */
export async function benchSteps(
  run: BenchRun,
  batchSize: number,
  groupSize: number,
): Promise<void> {
  const timer = await StepTimer.open(run.context, batchSize, groupSize);
  const name = `${batchSize}x${groupSize}`;
  await timer.step();
  const { result, measurements } = await observe(`${name} steps`, async () => {
    const shares: number[] = [];
    for (let count = 0; count < STEPS; count++) shares.push(await timer.step());
    return shares;
  });
  print({ name: `${name} steps: time over ideal, median`, value: median(result), unit: "x" });
  print({ name: `${name} steps: time over ideal, worst`, value: Math.max(...result), unit: "x" });
  for (const measurement of measurements) print(measurement);
}

/** Runs one step after another. */
export class StepTimer {
  /** Receives the progress of the steps. */
  watch: Watcher = () => undefined;
  readonly #context: RunContext;
  readonly #groupSize: number;
  #sampler: SamplingClient;
  #step = 0;

  private constructor(context: RunContext, groupSize: number, sampler: SamplingClient) {
    const watch: Watcher = (event) => this.watch(event);
    this.#context = { ...context, reporting: { ...context.reporting, watch } };
    this.#groupSize = groupSize;
    this.#sampler = sampler;
  }

  static async open(given: RunContext, batchSize: number, groupSize: number): Promise<StepTimer> {
    const context = contextFor(given, batchSize, groupSize);
    return new StepTimer(context, groupSize, await context.services.client.ephemeralSampler());
  }

  get nextStep(): number {
    return this.#step;
  }

  /** Duration of the next step divided by the time that the services alone need. */
  async step(): Promise<number> {
    const index = this.#step;
    this.#step += 1;
    const batchSize = this.#context.config.batch_size;
    const ideal = idealMs(this.#context, index, batchSize, this.#groupSize);
    const startedMs = performance.now();
    const { trained } = await runStep(this.#context, {
      sampler: this.#sampler,
      groups: batchSize,
      cursor: index * batchSize,
      step: index,
    });
    const took = performance.now() - startedMs;
    if (trained === null) throw new Error("Nothing was trained.");
    this.#sampler = trained.sampler;
    return took / ideal;
  }
}

/** A context for steps of this size with all rollouts in flight. */
export function contextFor(context: RunContext, batchSize: number, groupSize: number): RunContext {
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

/** The step's longest rollout plus the training. */
function idealMs(...step: Parameters<typeof slowestRolloutMs>): number {
  return slowestRolloutMs(...step) + TRAINING_MS;
}

/** The longest rollout of a step if only the services took time. */
export function slowestRolloutMs(
  { config, sequence, ports: { sha256 } }: RunContext,
  step: number,
  batchSize: number,
  groupSize: number,
): number {
  const timeOf = (item: TaskItem, rollout: number) => {
    const key = { taskKey: taskKeyOf(item), rollout };
    const turns = Array.from({ length: CALLS_BEFORE_ANSWER + 1 }, (_, turn) =>
      rolloutSeed(sha256, config.seed, key, turn),
    );
    return rolloutMs(turns);
  };
  const times = Array.from({ length: batchSize * groupSize }, (_, i) => {
    const item = sequence.itemAt(step * batchSize + Math.floor(i / groupSize));
    return timeOf(item, i % groupSize);
  });
  return Math.max(...times);
}
