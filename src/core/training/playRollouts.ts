/** Plays a list of rollouts under the run's limits; one fault that concerns the whole run ends them all. */

import { type FinishedRollout, type RolloutTask, runRollout } from "../rollout/rollout.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { environmentOf, type RunContext } from "./context.ts";
import { isServiceFailure, serviceFault } from "./outages.ts";

export interface PlayOptions {
  readonly sampler: SamplingClient;
  /** Seed of a sample; not called when seeds are switched off. */
  readonly seedOf: (task: RolloutTask, attempt: number, turn: number) => number;
  /** Changes to an environment's settings, for evaluation. */
  readonly settings?: (settings: RolloutSettings) => RolloutSettings;
  /**
   * Awaited before the next rollout takes the place. Rollouts that only their environment's service has failed are held back
   * until another one shows that it was not the service as a whole.
   */
  readonly onFinished: (rollout: FinishedRollout) => Promise<void>;
}

/** Between two such lots the event loop turns, so that thousands of rollouts do not hold it up. */
const STARTS_AT_ONCE = 16;

/**
 * Resolves with the finished rollouts in the order of `tasks`. Rejects with the first fatal fault or the reason of a stop.
 * @throws AppError `environment-unavailable` when its service failed every rollout; none was handed on then
 */
export async function playRollouts(
  context: RunContext,
  tasks: readonly RolloutTask[],
  options: PlayOptions,
): Promise<readonly FinishedRollout[]> {
  const failing = new AbortController();
  // A signal of its own for every rollout: hundreds of listeners on one are taken for a leak.
  const signal = (): AbortSignal => AbortSignal.any([context.control.signal, failing.signal]);
  const playing: Promise<FinishedRollout>[] = [];
  const onFinished = holdingBack(options.onFinished);
  for (const [i, task] of tasks.entries()) {
    if (i > 0 && i % STARTS_AT_ONCE === 0) await context.clock.sleep(0);
    const rollout = playOne(context, task, { ...options, onFinished }, signal(), failing);
    // Awaited below; until then a failure must not count as one that nobody handles.
    rollout.catch(() => undefined);
    playing.push(rollout);
  }
  const results = await Promise.allSettled(playing);
  failing.signal.throwIfAborted();
  context.control.signal.throwIfAborted();
  const rollouts = results.flatMap((result) =>
    result.status === "fulfilled" ? [result.value] : [],
  );
  if (rollouts.length > 0 && rollouts.every(isServiceFailure))
    throw serviceFault(context, rollouts);
  return rollouts;
}

/** So that nothing is written down of rollouts that are all played once more. */
function holdingBack(handOn: PlayOptions["onFinished"]): PlayOptions["onFinished"] {
  const heldBack: FinishedRollout[] = [];
  let isHolding = true;
  return async (rollout) => {
    if (isHolding && isServiceFailure(rollout)) {
      heldBack.push(rollout);
      return;
    }
    isHolding = false;
    for (const held of heldBack.splice(0)) await handOn(held);
    await handOn(rollout);
  };
}

async function playOne(
  context: RunContext,
  task: RolloutTask,
  options: PlayOptions,
  signal: AbortSignal,
  failing: AbortController,
): Promise<FinishedRollout> {
  const { gate, settings } = environmentOf(context, task.environment);
  const { clock, config, limits } = context;
  const queued = clock.monotonic();
  const release = await limits.rollouts.acquire({ signal });
  try {
    const queueS = (clock.monotonic() - queued) / 1000;
    const parts = {
      ...context,
      gate,
      sampler: options.sampler,
      settings: options.settings?.(settings) ?? settings,
      sampleSlot: (waiting: AbortSignal) => limits.samples.acquire({ signal: waiting }),
      seedOf: (attempt: number, turn: number) =>
        config.sampling_seed ? options.seedOf(task, attempt, turn) : undefined,
    };
    const finished = await runRollout(parts, task, signal);
    const rollout = { ...finished, facts: { ...finished.facts, queueS } };
    await options.onFinished(rollout);
    return rollout;
  } catch (error) {
    // Before the place is given back, or the next rollout would start in it.
    failing.abort(error);
    throw error;
  } finally {
    release();
  }
}
