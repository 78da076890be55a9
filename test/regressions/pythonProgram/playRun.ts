/** Runs our loop on a fake service with a model that answers at once, in groups of two. */

import type { Config, EnvironmentConfig } from "../../../src/core/config/schema.ts";
import { readCheckpoints } from "../../../src/core/runFolder/checkpointLog.ts";
import { readState } from "../../../src/core/runFolder/state.ts";
import { runLoop } from "../../../src/core/training/loop.ts";
import { type LoopPosition, START } from "../../../src/core/training/loopPosition.ts";
import { result, scriptedEnvironment } from "../../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../core/rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../../core/training/builders.ts";
import { aContext, FOLDER, linesOf, PATHS } from "../../core/training/fakeContext.ts";

interface RunWishes {
  readonly config?: Partial<Config>;
  readonly environment?: Partial<EnvironmentConfig>;
  /** Null = endless. */
  readonly steps?: number | null;
  /** Rewards given one after the other, again and again. */
  readonly rewards?: readonly number[];
}

const identity = { runId: "run", configHash: "h", changedKeys: [], generation: 1 };

export function prepareRun({ config, environment, steps = 3, rewards = [1, 0] }: RunWishes = {}) {
  let answers = 0;
  const onCall = () =>
    result("", { reward: rewards[answers++ % rewards.length] ?? 0, finished: true });
  const remote = scriptedEnvironment([{ onCall }]);
  const context = aContext({
    remote,
    totalSteps: steps,
    config: aConfig({
      batch_size: 1,
      environments: { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2, ...environment }) },
      save_every: 0,
      rolling_save_every: 0,
      ...config,
    }),
  });
  const sampler = scriptedSampler([ended(call("answer"))]);
  context.client.sampler = sampler;
  return {
    context,
    remote,
    sampler,
    run: (start: LoopPosition = START) => context.clock.run(runLoop(context, start, identity)),
    saves: () => context.client.stateSaves.map(({ name }) => name),
    rows: () => linesOf(context, PATHS.metrics),
    checkpoints: () => readCheckpoints(context.fileSystem, FOLDER),
    /** Where a resume starts. */
    position: async (): Promise<LoopPosition> => {
      const state = await readState(context.fileSystem, FOLDER);
      if (state === null) throw new Error("the run has left no state");
      const { step, dataset, optimizer_updates: optimizerUpdates, counters } = state;
      return { step, cursor: dataset.cursor, optimizerUpdates, counters };
    },
  };
}
