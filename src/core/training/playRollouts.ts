/** Plays a list of rollouts under the run's limits; one fault that concerns the whole run ends them all. */

import { isServiceFault } from "../rollout/faults.ts";
import { type FinishedRollout, type RolloutTask, runRollout } from "../rollout/rollout.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { environmentOf, type RunContext } from "./context.ts";
import { Outage, serviceFault } from "./outages.ts";

export interface PlayOptions {
  readonly sampler: SamplingClient;
  /** Seed of a sample; not called when seeds are switched off. */
  readonly seedOf: (task: RolloutTask, attempt: number, turn: number) => number;
  /** Changes to an environment's settings, for evaluation. */
  readonly settings?: (settings: RolloutSettings) => RolloutSettings;
  /** Awaited before the next rollout takes the place. Not called for one that is going to be played again. */
  readonly onFinished: (rollout: FinishedRollout) => Promise<void>;
  /** Told at the end how long an environments' service was waited for. */
  readonly onWaited?: (waitedMs: number) => void;
}

/** Between two such lots the event loop turns, so that thousands of rollouts do not hold it up. */
const STARTS_AT_ONCE = 16;
/** So many rollouts that an environment's service has failed, while no session is to be had, tell as much as all of them. */
const TELLING_FAILURES = 16;

/**
 * Resolves with the finished rollouts in the order of `tasks`. Rollouts that are lost to a service out of reach are played again,
 * from their beginning and with the same seeds, once it answers. Rejects with the first fatal fault or the reason of a stop.
 * @throws AppError `environment-unavailable` when a service stays out of reach for 30 minutes
 */
export async function playRollouts(
  context: RunContext,
  tasks: readonly RolloutTask[],
  options: PlayOptions,
): Promise<readonly FinishedRollout[]> {
  const outage = new Outage(context, tasks[0]?.step ?? 0);
  const finished = new Map<RolloutTask, FinishedRollout>();
  for (let left = tasks; left.length > 0; ) {
    const lost = await new Wave(context, options, finished).play(left);
    const [first] = lost;
    if (first === undefined) break;
    const before = left.length;
    left = left.filter((task) => !finished.has(task));
    if (left.length < before) outage.over();
    await outage.sitOut(serviceFault(context, lost));
  }
  options.onWaited?.(outage.waitedMs);
  return tasks.flatMap((task) => finished.get(task) ?? []);
}

/** Rollouts that are played at the same time, as far as there is room. */
class Wave {
  readonly #context: RunContext;
  readonly #options: PlayOptions;
  readonly #finished: Map<RolloutTask, FinishedRollout>;
  /** Ended by nothing but their environment's service: what becomes of them is known when the others have ended. */
  readonly #doubtful: FinishedRollout[] = [];
  readonly #failing = new AbortController();
  /** Aborted for environments of which no more rollouts need to try. */
  readonly #outOfReach = new Map<string, AbortController>();

  constructor(
    context: RunContext,
    options: PlayOptions,
    finished: Map<RolloutTask, FinishedRollout>,
  ) {
    this.#context = context;
    this.#options = options;
    this.#finished = finished;
  }

  /** Adds to the finished rollouts; resolves with those that are lost, of which some may not have tried. */
  async play(tasks: readonly RolloutTask[]): Promise<readonly FinishedRollout[]> {
    const { clock, control } = this.#context;
    for (const { environment } of tasks) {
      if (!this.#outOfReach.has(environment)) {
        this.#outOfReach.set(environment, new AbortController());
      }
    }
    const playing: Promise<void>[] = [];
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
    return this.#settleDoubtful();
  }

  async #playOne(task: RolloutTask): Promise<void> {
    const { gate, settings } = environmentOf(this.#context, task.environment);
    const { clock, config, control, limits } = this.#context;
    const options = this.#options;
    const outOfReach = this.#outOfReach.get(task.environment)?.signal;
    // A signal of its own for every rollout: hundreds of listeners on one are taken for a leak.
    const signals = [control.signal, this.#failing.signal];
    const signal = AbortSignal.any(outOfReach === undefined ? signals : [...signals, outOfReach]);
    const queued = clock.monotonic();
    const release = await limits.rollouts.acquire({ signal });
    try {
      const queueS = (clock.monotonic() - queued) / 1000;
      const parts = {
        ...this.#context,
        gate,
        sampler: options.sampler,
        settings: options.settings?.(settings) ?? settings,
        sampleSlot: (waiting: AbortSignal) => limits.samples.acquire({ signal: waiting }),
        seedOf: (attempt: number, turn: number) =>
          config.sampling_seed ? options.seedOf(task, attempt, turn) : undefined,
      };
      const finished = await runRollout(parts, task, signal);
      await this.#take({ ...finished, facts: { ...finished.facts, queueS } });
    } catch (error) {
      // Before the place is given back, or the next rollout would start in it.
      if (outOfReach?.aborted !== true) this.#failing.abort(error);
      throw error;
    } finally {
      release();
    }
  }

  async #take(rollout: FinishedRollout): Promise<void> {
    if (!isServiceFault(rollout.facts.errorClass)) return this.#handOn(rollout);
    this.#doubtful.push(rollout);
    const { environment } = rollout.task;
    const failures = this.#doubtful.filter(({ task }) => task.environment === environment);
    const { gate } = environmentOf(this.#context, environment);
    if (failures.length < TELLING_FAILURES || !gate.isOutOfReach) return;
    this.#outOfReach.get(environment)?.abort();
  }

  async #handOn(rollout: FinishedRollout): Promise<void> {
    this.#finished.set(rollout.task, rollout);
    await this.#options.onFinished(rollout);
  }

  /** Failures of a service that can be reached stand: the task itself, or bad luck, may be at their bottom. */
  async #settleDoubtful(): Promise<readonly FinishedRollout[]> {
    const played = new Set([...this.#finished.keys()].map(({ environment }) => environment));
    const lost: FinishedRollout[] = [];
    for (const rollout of this.#doubtful) {
      const { environment } = rollout.task;
      const { gate } = environmentOf(this.#context, environment);
      const isGivenUp = this.#outOfReach.get(environment)?.signal.aborted === true;
      const isLost = isGivenUp || gate.isOutOfReach || !played.has(environment);
      if (isLost) lost.push(rollout);
      else await this.#handOn(rollout);
    }
    return lost;
  }
}
