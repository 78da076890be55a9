/** Plays a list of rollouts under the run's limits; one fault that concerns the whole run ends them all. */

import { type FinishedRollout, type RolloutTask, runRollout } from "../rollout/rollout.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { environmentOf, type RunContext } from "./context.ts";
import { Outage } from "./outages.ts";
import { Seat } from "./seat.ts";

export interface PlayOptions {
  readonly sampler: SamplingClient;
  /** Seed of a sample; not called when seeds are switched off. */
  readonly seedOf: (task: RolloutTask, attempt: number, turn: number) => number;
  /** Changes to an environment's settings, for evaluation. */
  readonly settings?: (settings: RolloutSettings) => RolloutSettings;
  /** Awaited before the next rollout takes the place. */
  readonly onFinished: (rollout: FinishedRollout) => Promise<void>;
  /** Told at the end how long the run was paused for its environments. */
  readonly onWaited?: (waitedMs: number) => void;
}

/** Between two such lots the event loop turns, so that thousands of rollouts do not hold it up. */
const STARTS_AT_ONCE = 16;

/**
 * Resolves with the finished rollouts in the order of `tasks`. Those of an environment that is full or fails wait for it. Rejects with
 * the first fatal fault or the reason of a stop.
 * @throws AppError as `gaveUp` says when an environment cannot be played for too long
 */
export async function playRollouts(
  context: RunContext,
  tasks: readonly RolloutTask[],
  options: PlayOptions,
): Promise<readonly FinishedRollout[]> {
  const outage = new Outage(context, tasks[0]?.step ?? 0);
  try {
    return await new Wave(context, options, outage).play(tasks);
  } finally {
    await outage.end();
    options.onWaited?.(outage.waitedMs);
  }
}

/** Rollouts that are played at the same time, as far as there is room. */
class Wave {
  readonly #context: RunContext;
  readonly #options: PlayOptions;
  readonly #outage: Outage;
  readonly #failing = new AbortController();

  constructor(context: RunContext, options: PlayOptions, outage: Outage) {
    this.#context = context;
    this.#options = options;
    this.#outage = outage;
  }

  async play(tasks: readonly RolloutTask[]): Promise<readonly FinishedRollout[]> {
    const { clock, control } = this.#context;
    const playing: Promise<FinishedRollout>[] = [];
    for (const [i, task] of tasks.entries()) {
      if (i > 0 && i % STARTS_AT_ONCE === 0) await clock.sleep(0);
      const rollout = this.#playOne(task);
      // Awaited below; until then a failure must not count as one that nobody handles.
      rollout.catch(() => undefined);
      playing.push(rollout);
    }
    await Promise.allSettled(playing);
    this.#failing.signal.throwIfAborted();
    control.signal.throwIfAborted();
    this.#outage.signal.throwIfAborted();
    return await Promise.all(playing);
  }

  async #playOne(task: RolloutTask): Promise<FinishedRollout> {
    const { gate, settings } = environmentOf(this.#context, task.environment);
    const { clock, config, control, limits } = this.#context;
    const options = this.#options;
    // A signal of its own for every rollout: hundreds of listeners on one are taken for a leak.
    const signal = AbortSignal.any([control.signal, this.#failing.signal, this.#outage.signal]);
    const seat = await Seat.take({ clock, places: limits.rollouts, signal });
    try {
      const rollout = await runRollout(
        {
          ...this.#context,
          gate,
          sampler: options.sampler,
          settings: options.settings?.(settings) ?? settings,
          sampleSlot: (waiting: AbortSignal) => limits.samples.acquire({ signal: waiting }),
          whileWaiting: (wait) => this.#away(seat, wait),
          seedOf: (attempt: number, turn: number) =>
            config.sampling_seed ? options.seedOf(task, attempt, turn) : undefined,
        },
        task,
        signal,
      );
      const finished = { ...rollout, facts: { ...rollout.facts, queueS: seat.queuedMs / 1000 } };
      await options.onFinished(finished);
      return finished;
    } catch (error) {
      // Before the place is given back, or the next rollout would start in it.
      this.#failing.abort(error);
      throw error;
    } finally {
      seat.leave();
      this.#outage.look();
    }
  }

  #away<Result>(seat: Seat, wait: () => Promise<Result>): Promise<Result> {
    const waiting = seat.away(wait);
    this.#outage.look();
    return waiting;
  }
}
