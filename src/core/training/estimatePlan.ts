/** What a prepared run is going to do, as the basis for estimating its cost. */

import { groupBy } from "../../shared/groupBy.ts";
import { sum } from "../../shared/mean.ts";
import { maxConcurrentRollouts } from "../config/fields/presets.ts";
import type { Config } from "../config/fields/schema.ts";
import { evaluationCells, rolloutsPerTask } from "../config/rules/evaluationCells.ts";
import { trainsOnEqualRewards, updatePasses } from "../config/rules/updateCost.ts";
import { environmentConfig } from "../config/taskChoices.ts";
import type { PlayedSteps } from "../estimate/basis.ts";
import { type Estimate, type EstimateRange, estimateRun } from "../estimate/estimate.ts";
import {
  type EstimatePlan,
  type PlannedEnvironment,
  type PlannedEvaluations,
  planWithoutRollouts,
} from "../estimate/plan.ts";
import type { Example } from "../examples/example.ts";
import type { ExampleSet } from "../examples/exampleSet.ts";
import { costOf, type Prices } from "../usage/prices.ts";
import { NO_TOKENS } from "../usage/tokenUsage.ts";
import type { Preparation } from "./prepare.ts";
import { environmentOf } from "./run/context.ts";
import { isMeasured } from "./supervised/supervisedSteps.ts";
import { endOfData, itemsFrom, type TaskSequence, totalSteps } from "./tasks/dataset.ts";
import { datumLength } from "./update/datums.ts";

/** How many tasks of the sequence are counted. Beyond that, the environments' shares hardly change. */
const MAX_COUNTED = 20_000;

/** The tasks of a run. */
export interface CountedTasks {
  readonly sequence: TaskSequence;
  /** Counts the tasks of an evaluated split. */
  readonly countTasks: (environment: string, split: string) => Promise<number>;
}

/** Task counts from the environments. `prepared` may belong to a configuration that differs only in its number of steps. */
export function askedTasks(prepared: Preparation, signal: AbortSignal): CountedTasks {
  const countTasks: CountedTasks["countTasks"] = (environment, split) => {
    const { gate, remote } = environmentOf({ services: prepared }, environment);
    return gate.query(() => remote.numTasks(split, { signal }), signal);
  };
  return { sequence: prepared.sequence, countTasks };
}

/** @throws AppError when an environment cannot count its tasks */
export async function estimatePlan(config: Config, tasks: CountedTasks): Promise<EstimatePlan> {
  const { sequence } = tasks;
  const { steps, isStopped } = plannedSteps(config, sequence);
  const groupsInData = endOfData(sequence, config.num_epochs);
  const groups = Math.min(
    (steps ?? 1) * config.batch_size,
    groupsInData ?? Number.POSITIVE_INFINITY,
  );
  return {
    steps,
    environments: plannedEnvironments(config, sequence, groups),
    mostBatches: config.refill ? 1 + config.max_refill_batches : 1,
    groupsInData,
    passes: updatePasses(config),
    // Most rewards are not 0, and with `direct` advantages only rewards of 0 provide no signal.
    trainsOnEqual: trainsOnEqualRewards(config, 1),
    atOnce: maxConcurrentRollouts(config),
    isAhead: config.max_steps_off_policy > 0,
    evaluations: await plannedEvaluations(config, tasks, { steps, isStopped }),
  };
}

/** Up to `stop_at_step`, which may stop the run before its end. `steps` null = endless. */
function plannedSteps(
  config: Config,
  { epochLength }: Pick<TaskSequence, "epochLength">,
): { readonly steps: number | null; readonly isStopped: boolean } {
  const planned = totalSteps(config, epochLength);
  const stop = config.stop_at_step ?? Number.POSITIVE_INFINITY;
  const isStopped = stop < (planned ?? Number.POSITIVE_INFINITY);
  return { steps: isStopped ? stop : planned, isStopped };
}

function plannedEnvironments(
  config: Config,
  sequence: TaskSequence,
  groups: number,
): readonly PlannedEnvironment[] {
  const counted = Math.min(groups, MAX_COUNTED);
  const items = Array.from({ length: counted }, (_, i) => sequence.itemAt(i));
  return [...groupBy(items, ({ environment }) => environment)].map(([name, own]) => ({
    name,
    groups: (own.length / counted) * groups,
    rollouts: environmentConfig(config, name).num_rollouts,
  }));
}

async function plannedEvaluations(
  { evaluation }: Config,
  { countTasks }: CountedTasks,
  { steps, isStopped }: ReturnType<typeof plannedSteps>,
): Promise<PlannedEvaluations> {
  if (evaluation === null) return { count: 0, afterLastStep: 0, rollouts: [] };
  const { at_start: atStart, at_end: atEnd, every } = evaluation;
  // One that is due at the step of a stop is made; one that is due at the end would be the final one.
  const lastPeriodic = isStopped ? steps : steps === null ? null : steps - 1;
  const between =
    every === null ? 0 : lastPeriodic === null ? 1 / every : Math.floor(lastPeriodic / every);
  const first = steps !== null && atStart ? 1 : 0;
  const afterLastStep = steps !== null && atEnd && !isStopped ? 1 : 0;
  const rollouts = [];
  for (const cell of evaluationCells(evaluation)) {
    const { environment, split, temperature } = cell;
    const tasks = await countTasks(environment, split);
    const played = Math.min(tasks, evaluation.num_samples ?? tasks);
    rollouts.push({ environment, temperature, count: played * rolloutsPerTask(evaluation, cell) });
  }
  return { count: first + between + afterLastStep, afterLastStep, rollouts };
}

/** @throws AppError when an environment cannot count its tasks */
export async function collectEstimate(
  config: Config,
  { countTasks }: Pick<CountedTasks, "countTasks">,
  basis: PlayedSteps,
  prices: Prices | null,
): Promise<{ readonly estimate: Estimate; readonly plan: EstimatePlan }> {
  const { environments, max_tasks: most, samples_per_task: samples } = config;
  const rollouts = [];
  for (const [environment, { splits }] of Object.entries(environments)) {
    for (const split of Object.keys(splits)) {
      const tasks = await countTasks(environment, split);
      const { temperature } = environmentConfig(config, environment);
      const count = Math.min(tasks, most ?? tasks) * samples;
      rollouts.push({ environment, temperature, count });
    }
  }
  const none = planWithoutRollouts(0);
  // Collecting is like a single evaluation, but of training tasks: the weights never change and there is no server check.
  const evaluations = { count: 1, afterLastStep: 1, rollouts };
  const played = { ...basis, evaluated: [], serverCheck: NO_TOKENS, isForwardOnly: false };
  const plan = { ...none, atOnce: maxConcurrentRollouts(config), evaluations };
  return {
    estimate: {
      ...estimateRun(played, plan, prices),
      evaluationTokens: { mean: 0, low: 0, high: 0 },
    },
    plan: {
      ...none,
      environments: rollouts.map(({ environment, count }) => {
        return { name: environment, groups: count, rollouts: 1 };
      }),
    },
  };
}

/** Evaluations are left out because the length of the model's answers is unknown. */
export function supervisedEstimate(
  config: Config,
  sequence: TaskSequence,
  examples: ExampleSet,
  prices: Prices | null,
): { readonly estimate: Estimate; readonly plan: EstimatePlan } {
  const { steps: planned } = plannedSteps(config, sequence);
  const steps = planned ?? 1;
  const items = itemsFrom(sequence, 0, steps * config.batch_size, config);
  const lengths = examples.trained.map(tokensOf);
  const trained = sum(items.map(({ index }) => lengths[index] ?? 0));
  const measured = Array.from({ length: steps }, (_, step) => step + 1).filter((completed) =>
    // A stop measures no held-out loss, unlike the end of the plan.
    isMeasured({ config, totalSteps: totalSteps(config, sequence.epochLength) }, completed),
  );
  const heldOut = measured.length * sum(examples.heldOut.map(tokensOf));
  const usage = { sampled: 0, prefill_cached: 0, prefill_uncached: heldOut, trained };
  return {
    estimate: {
      tokens: {
        sampled: exactly(0),
        prefill_cached: exactly(0),
        prefill_uncached: exactly(heldOut),
        trained: exactly(trained),
      },
      totalTokens: exactly(trained + heldOut),
      evaluationTokens: exactly(0),
      costUsd: prices === null ? null : exactly(costOf(usage, prices)),
      hours: null,
      steps,
      unplayed: [],
    },
    plan: planWithoutRollouts(planned),
  };
}

/** Tokens of an example that are sent. */
function tokensOf({ streams }: Example): number {
  return sum(streams.map(datumLength));
}

function exactly(value: number): EstimateRange {
  return { mean: value, low: value, high: value };
}
