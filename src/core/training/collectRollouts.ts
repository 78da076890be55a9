/** Plays a list of rollouts within the run's limits; one fault that concerns the whole run ends them all. */

import { scoreGroup } from "../rollout/groupScoring.ts";
import {
  type FinishedRollout,
  type RolloutOptions,
  type RolloutTask,
  runRollout,
} from "../rollout/rollout.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { groupBy } from "../util/groupBy.ts";
import { environmentOf, type RunContext } from "./context.ts";
import { OutageMonitor } from "./outageMonitor.ts";
import { report } from "./report.ts";
import { RolloutSlot } from "./rolloutSlot.ts";

export interface CollectOptions {
  readonly sampler: SamplingClient;
  /** Seed of a sample; not called when seeds are switched off. */
  readonly seedOf: (task: RolloutTask, attempt: number, turn: number) => number;
  /** Changes to an environment's settings, for evaluation. */
  readonly settings?: (settings: RolloutSettings) => RolloutSettings;
  /** Awaited before the next rollout takes the slot; for a rollout that is scored with its group when all of it have ended. */
  readonly onFinished: (rollout: FinishedRollout) => Promise<void>;
  /** Called at the end with the time for which the run was paused because of its environments. */
  readonly onWaited?: (waitedMs: number) => void;
}

/** Number of rollouts that begin in one turn of the event loop, so that thousands do not block it. */
const STARTS_AT_ONCE = 16;

/**
 * Resolves with the finished rollouts in the order of `tasks`. Those of an environment that is full or fails wait for it. Rejects with
 * the first fatal fault or the reason of a stop.
 * @throws AppError `run-capacity`, or that of the environment, when one is unavailable for too long
 */
export async function collectRollouts(
  context: RunContext,
  tasks: readonly RolloutTask[],
  options: CollectOptions,
): Promise<readonly FinishedRollout[]> {
  const outage = new OutageMonitor(context, tasks[0]?.step ?? 0);
  try {
    return await new RolloutBatch(context, options, outage).play(tasks);
  } finally {
    await outage.end();
    options.onWaited?.(outage.waitedMs);
  }
}

interface OpenGroup {
  /** Rollouts that have not ended. */
  left: number;
  /** Ended ones that are scored when all have. */
  readonly unscored: FinishedRollout[];
}

/** Rollouts that are played at the same time, as far as the limits allow. */
class RolloutBatch {
  readonly #context: RunContext;
  readonly #options: CollectOptions;
  readonly #outage: OutageMonitor;
  readonly #failing = new AbortController();
  readonly #groups = new Map<number, OpenGroup>();
  #hasReportedUnscored = false;
  readonly #finished = new Map<RolloutTask, FinishedRollout>();

  constructor(context: RunContext, options: CollectOptions, outage: OutageMonitor) {
    this.#context = context;
    this.#options = options;
    this.#outage = outage;
  }

  async play(tasks: readonly RolloutTask[]): Promise<readonly FinishedRollout[]> {
    const { control, ports } = this.#context;
    const playing: Promise<void>[] = [];
    for (const [group, { length }] of groupBy(tasks, (task) => task.group)) {
      this.#groups.set(group, { left: length, unscored: [] });
    }
    for (const [i, task] of tasks.entries()) {
      if (i > 0 && i % STARTS_AT_ONCE === 0) await ports.clock.sleep(0);
      const rollout = this.#playOne(task);
      // Awaited below; until then a failure must not count as one that nobody handles.
      rollout.catch(() => undefined);
      playing.push(rollout);
    }
    await Promise.allSettled(playing);
    this.#failing.signal.throwIfAborted();
    control.signal.throwIfAborted();
    this.#outage.signal.throwIfAborted();
    return tasks.flatMap((task) => this.#finished.get(task) ?? []);
  }

  async #playOne(task: RolloutTask): Promise<void> {
    const { gate, settings } = environmentOf(this.#context, task.environment);
    const { config, control, limits, ports, reporting, services } = this.#context;
    const { clock, random } = ports;
    const options = this.#options;
    // Each rollout gets a signal of its own: Node warns of a leak when one has hundreds of listeners.
    const signal = AbortSignal.any([control.signal, this.#failing.signal, this.#outage.signal]);
    const slot = await RolloutSlot.take({ clock, slots: limits.rollouts, signal });
    try {
      const rolloutOptions: RolloutOptions = {
        clock,
        random,
        log: reporting.log,
        chat: services.chat,
        gate,
        sampler: options.sampler,
        settings: options.settings?.(settings) ?? settings,
        sampleSlot: (waiting: AbortSignal) => limits.samples.acquire({ signal: waiting }),
        whileWaiting: (wait) => this.#releaseDuring(slot, wait),
        seedOf: (attempt: number, turn: number) =>
          config.sampling_seed ? options.seedOf(task, attempt, turn) : undefined,
      };
      const rollout = await runRollout(rolloutOptions, task, signal);
      const ended = { ...rollout, facts: { ...rollout.facts, queueS: slot.queuedMs / 1000 } };
      for (const finished of await this.#finish(ended, rolloutOptions, signal)) {
        this.#finished.set(finished.task, finished);
        await options.onFinished(finished);
      }
    } catch (error) {
      // Before the slot is released, or the next rollout would start in it.
      this.#failing.abort(error);
      throw error;
    } finally {
      slot.release();
      this.#outage.check();
    }
  }

  /** What is finished now: the rollout, or with the last of a group all that were to be scored with it. */
  async #finish(
    ended: FinishedRollout,
    options: RolloutOptions,
    signal: AbortSignal,
  ): Promise<readonly FinishedRollout[]> {
    const group = this.#groups.get(ended.task.group);
    if (group === undefined) return [ended];
    group.left -= 1;
    if (ended.scoredFrom !== null) group.unscored.push(ended);
    const ready = ended.scoredFrom === null ? [ended] : [];
    if (group.left > 0) return ready;
    const inOrder = group.unscored.toSorted((a, b) => a.task.rollout - b.task.rollout);
    const scored = await scoreGroup(options, inOrder, signal);
    const [first] = scored;
    if (first !== undefined && first.record.error !== null) await this.#reportUnscored(first);
    return [...ready, ...scored];
  }

  /** Reports once in a step: the other groups of the environment most likely fail in the same way. */
  async #reportUnscored({ record, task }: FinishedRollout): Promise<void> {
    if (this.#hasReportedUnscored) return;
    this.#hasReportedUnscored = true;
    const { step, group, environment } = task;
    const message = `Step ${step + 1}, group ${group + 1} of ${environment}: ${record.error} The group is left out of training. To train on the rewards of single calls, set environments.${environment}.group_scoring to false.`;
    const data = { group };
    await report(this.#context.reporting, {
      step,
      level: "warn",
      kind: "group-unscored",
      message,
      data,
    });
  }

  #releaseDuring<Result>(slot: RolloutSlot, wait: () => Promise<Result>): Promise<Result> {
    const waiting = slot.releaseDuring(wait);
    this.#outage.check();
    return waiting;
  }
}
