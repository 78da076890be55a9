/** Runs of the whole loop on a fake service: one group of two per step, and a model that answers immediately. */

import type { Config, EnvironmentConfig } from "../../../../src/core/config/fields/schema.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { readCheckpoints } from "../../../../src/core/runFolder/checkpointLog.ts";
import { readState } from "../../../../src/core/runFolder/state.ts";
import { runLoop } from "../../../../src/core/training/loop.ts";
import { type LoopPosition, START } from "../../../../src/core/training/step/loopPosition.ts";
import {
  result,
  type ScriptedEnvironment,
  scriptedEnvironment,
} from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../builders.ts";
import { aContext, type ContextOptions, FOLDER, linesOf, PATHS } from "../fakeContext.ts";

const IDENTITY = { runId: "run", configHash: "h", generation: 1 };

export interface LoopRunOptions extends Omit<ContextOptions, "config" | "totalSteps"> {
  readonly config?: Partial<Config>;
  readonly environment?: Partial<EnvironmentConfig>;
  /** Null means endless. */
  readonly steps?: number | null;
  /** Rewards in a repeating cycle, for the default environment. */
  readonly rewards?: readonly number[];
}

export function prepareRun(options: LoopRunOptions = {}) {
  const { config, environment, steps = 3, rewards, ...rest } = options;
  const remote = options.remote ?? rewarding(rewards);
  const context = aContext({
    ...rest,
    remote,
    totalSteps: steps,
    config: aConfig({
      batch_size: 1,
      environments: { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2, ...environment }) },
      save_every: 0,
      rolling_save_every: 0,
      num_epochs: null,
      max_steps: steps,
      ...config,
    }),
  });
  const sampler = scriptedSampler([ended(call("answer"))]);
  context.client.sampler = sampler;
  const start = (position: LoopPosition = START) => runLoop(context, position, IDENTITY);
  return {
    context,
    remote,
    sampler,
    start,
    /** Starts the loop and advances the clock until it ends. */
    run: (position: LoopPosition = START) => context.clock.run(start(position)),
    saves: () => context.client.stateSaves.map(({ name }) => name),
    state: () => readState(context.fileSystem, FOLDER),
    checkpoints: () => readCheckpoints(context.fileSystem, FOLDER),
    rows: () => linesOf(context, PATHS.metrics),
  };
}

export type LoopRun = ReturnType<typeof prepareRun>;

/** An environment whose sessions end with these rewards, in a repeating cycle. */
export function rewarding(rewards: readonly number[] = [1, 0]): ScriptedEnvironment {
  let answers = 0;
  const onCall = () =>
    result("", { reward: rewards[answers++ % rewards.length] ?? 0, finished: true });
  return scriptedEnvironment([{ onCall }]);
}

/** Calls `act` once, during the rollouts of the step after `steps` completed ones. */
export function duringRollouts(
  { context, sampler, rows }: LoopRun,
  steps: number,
  act: () => void,
) {
  let hasActed = false;
  context.client.sampler = {
    ...sampler,
    sample: (request, options) => {
      const isDue = !hasActed && rows().length === steps;
      hasActed ||= isDue;
      if (isDue) act();
      return sampler.sample(request, options);
    },
  };
}

/** Calls `act` once, during the update of the step after `steps` completed ones. */
export function duringUpdate({ context: { client } }: LoopRun, steps: number, act: () => void) {
  const { optimStep } = client;
  client.optimStep = (params) => {
    if (client.adamCalls.length === steps) act();
    return optimStep.call(client, params);
  };
}

/** Metrics rows without values that depend on time or on the number of attempts. */
export function comparableRows({ rows }: LoopRun): readonly unknown[] {
  return rows().map((row) => {
    if (!isJsonObject(row)) return row;
    const {
      time: _,
      throughput: _t,
      progress: _p,
      capacity: _c,
      rollout,
      async,
      tokens,
      ...rest
    } = row;
    const ahead = isJsonObject(async)
      ? { ...async, wait_for_batch_s: null, queue_ready: null }
      : async;
    return {
      ...rest,
      async: ahead,
      // How much was sampled ahead by the time of a row depends on timing.
      tokens: isJsonObject(tokens) ? { ...tokens, cumulative: null } : tokens,
      rollout: isJsonObject(rollout) ? { ...rollout, attempts: null } : rollout,
    };
  });
}

/** All requests of a run, sorted, because their order within a step depends on timing. */
export function requestsOf({ sampler }: LoopRun): readonly string[] {
  return sampler.requests.map((request) => JSON.stringify(request)).toSorted();
}

/** Where a resume of this run starts. */
export async function positionOf({ state }: LoopRun): Promise<LoopPosition> {
  const saved = await state();
  if (saved === null) throw new Error("the run has left no state");
  const { step, dataset, optimizer_updates: optimizerUpdates, counters, pending, samplers } = saved;
  const issued = { pending, samplers };
  return { step, cursor: dataset.cursor, optimizerUpdates, counters, issued };
}
