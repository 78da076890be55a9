/** Plays a list of rollouts under the run's limits; one fault that concerns the whole run ends them all. */

import { type FinishedRollout, type RolloutTask, runRollout } from "../rollout/rollout.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { environmentOf, limitedSampler, type RunContext } from "./context.ts";

export interface PlayOptions {
  readonly sampler: SamplingClient;
  /** Seed of a sample; not called when seeds are switched off. */
  readonly seedOf: (task: RolloutTask, attempt: number, turn: number) => number;
  /** Changes to an environment's settings, for evaluation. */
  readonly settings?: (settings: RolloutSettings) => RolloutSettings;
  /** Awaited before the next rollout takes the place. */
  readonly onFinished: (rollout: FinishedRollout) => Promise<void>;
}

/** Resolves with the finished rollouts in the order of `tasks`. Rejects with the first fatal fault or the reason of a stop. */
export async function playRollouts(
  context: RunContext,
  tasks: readonly RolloutTask[],
  options: PlayOptions,
): Promise<readonly FinishedRollout[]> {
  const failing = new AbortController();
  const stops = [context.control.signal, failing.signal];
  const sampler = limitedSampler(options.sampler, context.limits);
  const play = async (task: RolloutTask): Promise<FinishedRollout> => {
    try {
      // A signal of its own for every rollout: hundreds of listeners on one are taken for a leak.
      return await playOne(context, task, { ...options, sampler }, AbortSignal.any(stops));
    } catch (error) {
      failing.abort(error);
      throw error;
    }
  };
  const results = await Promise.allSettled(tasks.map(play));
  AbortSignal.any(stops).throwIfAborted();
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

async function playOne(
  context: RunContext,
  task: RolloutTask,
  options: PlayOptions,
  signal: AbortSignal,
): Promise<FinishedRollout> {
  const { remote, settings, limiter } = environmentOf(context, task.environment);
  const queued = context.clock.monotonic();
  const release = [await context.limits.rollouts.acquire({ signal })];
  try {
    if (limiter !== null) release.push(await limiter.acquire({ signal }));
    const queueS = (context.clock.monotonic() - queued) / 1000;
    const parts = {
      ...context,
      environment: remote,
      sampler: options.sampler,
      settings: options.settings?.(settings) ?? settings,
      seedOf: (attempt: number, turn: number) =>
        context.config.sampling_seed ? options.seedOf(task, attempt, turn) : undefined,
    };
    const finished = await runRollout(parts, task, signal);
    const rollout = { ...finished, facts: { ...finished.facts, queueS } };
    await options.onFinished(rollout);
    return rollout;
  } finally {
    for (const give of release) give();
  }
}
