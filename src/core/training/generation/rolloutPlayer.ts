/** Plays groups of rollouts within the run's limits. A fault that affects the whole run ends all of them. */

import { AgentEpisode } from "../../agents/agentEpisode.ts";
import type { Clock } from "../../ports.ts";
import { scoreGroup } from "../../rollout/groupScoring.ts";
import {
  type FinishedRollout,
  type RolloutOptions,
  type RolloutTask,
  runRollout,
  withQueueTimes,
} from "../../rollout/rollout.ts";
import type { RolloutSettings } from "../../rollout/settings.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { TokenUsage } from "../../usage/tokenUsage.ts";
import { UsageMeter } from "../../usage/usageMeter.ts";
import { Limiter } from "../../util/limiter.ts";
import { environmentOf, type PlayContext } from "../run/context.ts";
import { report } from "../run/report.ts";

export interface PlayOptions {
  /** Includes the settings that the rollouts are played with. */
  readonly context: PlayContext;
  readonly sampler: SamplingClient;
  /** Seed of a sample; not called when seeds are turned off. */
  readonly seedOf: (task: RolloutTask, turn: number) => number;
  /** Overrides an environment's settings, for evaluations. */
  readonly settings?: (settings: RolloutSettings) => RolloutSettings;
  /** Gets free slots before waiting rollouts; by default after them. */
  readonly isUrgent?: boolean;
  /** Awaited before the next rollout gets the slot. For a rollout scored with its group, called when all of the group have ended. */
  readonly onFinished: (rollout: FinishedRollout) => Promise<void>;
  /**
   * Called after `onFinished`; returns the part of the rollout to keep in memory until its group has ended. Keeps everything by default.
   */
  readonly keep?: (rollout: FinishedRollout) => Promise<FinishedRollout>;
  /** Called when a rollout has ended or was aborted, with its token use, and with its streams if it ended. */
  readonly onUsed: (
    task: RolloutTask,
    tokens: TokenUsage,
    streams: FinishedRollout["streams"],
  ) => void;
}

/** How many rollouts start per turn of the event loop, so that thousands do not block it. */
const STARTS_PER_TURN = 16;

/** A group with rollouts that have not ended. */
class OpenGroup {
  readonly tasks: readonly RolloutTask[];
  /** Number of rollouts that have not ended. */
  left: number;
  /** Ended rollouts that are scored once all have ended. */
  readonly unscored: FinishedRollout[] = [];
  readonly ended: Promise<readonly FinishedRollout[]>;
  readonly #finished: FinishedRollout[] = [];
  #resolve: (rollouts: readonly FinishedRollout[]) => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;

  constructor(tasks: readonly RolloutTask[]) {
    this.tasks = tasks;
    this.left = tasks.length;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Awaited later; until then a failure must not count as an unhandled rejection.
    this.ended.catch(() => undefined);
    if (tasks.length === 0) this.#resolve([]);
  }

  add(rollout: FinishedRollout): void {
    this.#finished.push(rollout);
    if (this.#finished.length === this.tasks.length) this.#resolve(inOrder(this.#finished));
  }

  fail(reason: unknown): void {
    this.#reject(reason);
  }
}

/** A rollout's slot within the run's concurrency limit. */
class RolloutSlot {
  /** Time without the slot: before it was first acquired, and while others had it. */
  queuedMs = 0;
  release: () => void = () => undefined;
  readonly #clock: Clock;
  readonly #acquire: (atHead: boolean) => Promise<() => void>;

  constructor(slots: Limiter, clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#acquire = (atHead) => slots.acquire({ atHead, signal });
  }

  /** Gives up the slot during `wait`, acquires one again, and resolves with the result of `wait`. */
  async takeAfter<Result>(wait: () => Promise<Result>, atHead: boolean): Promise<Result> {
    const startedMs = this.#clock.monotonic();
    this.release();
    const result = await wait();
    this.release = await this.#acquire(atHead);
    this.queuedMs += this.#clock.monotonic() - startedMs;
    return result;
  }
}

function inOrder(rollouts: readonly FinishedRollout[]): readonly FinishedRollout[] {
  return rollouts.toSorted((a, b) => a.record.rollout - b.record.rollout);
}

export class RolloutPlayer {
  readonly #context: PlayContext;
  readonly #failing = new AbortController();
  readonly #playing = new Set<Promise<void>>();
  /** Limited to one: many rollouts end at once, and encoding one takes several times its size in memory. */
  readonly #writing = new Limiter(1);
  #busyMs = 0;
  #busySinceMs = 0;
  #hasReportedUnscored = false;

  constructor(context: PlayContext) {
    this.#context = context;
  }

  /** Time in which rollouts were playing or waiting for a slot. */
  get busyMs(): number {
    const isBusy = this.#playing.size > 0;
    return this.#busyMs + (isBusy ? this.#context.ports.clock.monotonic() - this.#busySinceMs : 0);
  }

  /**
   * Starts groups after those started before. Each promise resolves with its group's rollouts in the order of `tasks`. Rollouts of a full
   * or failing environment wait for it. After a rejection others keep playing: {@link end} waits for them.
   */
  play(
    groups: readonly (readonly RolloutTask[])[],
    options: PlayOptions,
  ): readonly Promise<readonly FinishedRollout[]>[] {
    const opened = groups.map((tasks) => new OpenGroup(tasks));
    this.#track(this.#start(opened, options));
    return opened.map(({ ended }) => ended);
  }

  /** Waits until nothing is playing. Rejects with the first fatal fault or the reason of a stop. */
  async end(): Promise<void> {
    while (this.#playing.size > 0) await Promise.allSettled(this.#playing);
    this.throwIfAborted();
  }

  /** Throws the first fatal fault or the reason of a stop. */
  throwIfAborted(): void {
    this.#failing.signal.throwIfAborted();
    this.#context.control.signal.throwIfAborted();
  }

  /** Aborts all rollouts; their groups reject with `reason`. */
  abort(reason: unknown): void {
    this.#failing.abort(reason);
  }

  #track(work: Promise<void>): void {
    const { clock } = this.#context.ports;
    if (this.#playing.size === 0) this.#busySinceMs = clock.monotonic();
    this.#playing.add(work);
    const done = () => {
      this.#playing.delete(work);
      if (this.#playing.size === 0) this.#busyMs += clock.monotonic() - this.#busySinceMs;
    };
    work.then(done, done);
  }

  async #start(groups: readonly OpenGroup[], options: PlayOptions): Promise<void> {
    let started = 0;
    for (const group of groups) {
      for (const task of group.tasks) {
        if (started > 0 && started % STARTS_PER_TURN === 0) {
          await this.#context.ports.clock.sleep(0);
        }
        started += 1;
        this.#track(
          this.#playOne(task, group, options).catch((error: unknown) => group.fail(error)),
        );
      }
    }
  }

  async #playOne(task: RolloutTask, group: OpenGroup, options: PlayOptions): Promise<void> {
    const { agent = null, gate, settings } = environmentOf(options.context, task.environment);
    const { config, control, limits, ports, reporting, services } = options.context;
    const { clock, random, sha256 } = ports;
    const signal = AbortSignal.any([control.signal, this.#failing.signal]);
    const slot = new RolloutSlot(limits.rollouts, clock, signal);
    await slot.takeAfter(async () => undefined, options.isUrgent ?? false);
    const beforeMs = slot.queuedMs;
    const meter = new UsageMeter();
    let streams: FinishedRollout["streams"] = [];
    try {
      const rolloutOptions: RolloutOptions = {
        meter,
        clock,
        random,
        log: reporting.log,
        chat: services.chat,
        gate,
        sampler: options.sampler,
        settings: options.settings?.(settings) ?? settings,
        sampleSlot: (waiting: AbortSignal) => limits.samples.acquire({ signal: waiting }),
        whileWaiting: (wait) => slot.takeAfter(wait, true),
        newEpisode:
          agent === null ? undefined : (own) => new AgentEpisode({ ...own, agent, task, sha256 }),
        seedOf: (turn: number) => (config.sampling_seed ? options.seedOf(task, turn) : undefined),
      };
      const ended = await runRollout(rolloutOptions, task, signal);
      streams = ended.streams;
      const queue = { beforeMs, totalMs: slot.queuedMs };
      const finish = () => withQueueTimes(ended.finish(), queue);
      group.left -= 1;
      if (ended.scoredFrom !== null) group.unscored.push(finish());
      const scored = group.left > 0 ? [] : await this.#score(group, rolloutOptions, signal);
      if (ended.scoredFrom === null) await this.#add(group, finish, options);
      for (const rollout of scored) await this.#add(group, () => rollout, options);
    } catch (error) {
      // Abort before releasing the slot, or the next rollout would start in it.
      this.#failing.abort(error);
      throw error;
    } finally {
      options.onUsed(task, meter.usage.used, streams);
      slot.release();
    }
  }

  /** Scores the rollouts of a finished group together. */
  async #score(
    { unscored }: OpenGroup,
    options: RolloutOptions,
    signal: AbortSignal,
  ): Promise<readonly FinishedRollout[]> {
    const scored = await scoreGroup(options, inOrder(unscored), signal);
    const [first] = scored;
    if (first !== undefined && first.record.error !== null) await this.#reportUnscored(first);
    return scored;
  }

  /** Adds a rollout to its group once it is stored. */
  async #add(
    group: OpenGroup,
    finish: () => FinishedRollout,
    { onFinished, keep }: PlayOptions,
  ): Promise<void> {
    const rollout = await this.#writing.run(async () => {
      const finished = finish();
      await onFinished(finished);
      return (await keep?.(finished)) ?? finished;
    });
    group.add(rollout);
  }

  /** Reports only once, because the environment's other groups most likely fail in the same way. */
  async #reportUnscored({ record }: FinishedRollout): Promise<void> {
    if (this.#hasReportedUnscored) return;
    this.#hasReportedUnscored = true;
    const { step, group, environment, error } = record;
    const message = `Step ${step + 1}, group ${group + 1} of ${environment}: ${error} Training skips the group. To train on the rewards of single calls, set environments.${environment}.group_scoring to false.`;
    const data = { group };
    await report(this.#context.reporting, {
      step,
      level: "warn",
      kind: "group-unscored",
      message,
      data,
    });
  }
}
