/**
 * The groups that were issued and not trained yet, in the order of the data. Groups are issued between two updates, all with the
 * weights of that moment, and taken from the head step by step: how far a group lags behind follows from its position, never from
 * timing.
 */

import type { Config } from "../config/schema.ts";
import { AppError } from "../errors.ts";
import type { FinishedRollout, RolloutTask } from "../rollout/rollout.ts";
import { rolloutSeed } from "../rollout/seeds.ts";
import type { RunContext } from "./context.ts";
import { type TaskItem, taskKeyOf } from "./dataset.ts";
import { pauseAtFailure } from "./groupFailurePolicy.ts";
import type { OutageScope } from "./outageMonitor.ts";
import type { Policy } from "./policy.ts";
import { type PlayOptions, RolloutPlayer } from "./rolloutPlayer.ts";
import { StepProgress } from "./stepProgress.ts";
import type { GroupKey, StoredGroups } from "./storedGroups.ts";
import { storedRecord } from "./storedRecord.ts";

/** The groups of one step. */
export interface IssuedBatch {
  readonly step: number;
  readonly items: readonly TaskItem[];
  /** What samples them. */
  readonly policy: Policy;
  /** Of the settings that they are played with. */
  readonly settingsHash: string;
}

export interface TakenBatch {
  /** In the order of groups and rollouts. */
  readonly rollouts: readonly FinishedRollout[];
  /** What sampled each group. */
  readonly policies: readonly Policy[];
  /** Time for which the run was paused because of its environments since the batch before. */
  readonly pausedMs: number;
  /** Groups that were issued and not trained, with these. */
  readonly depth: number;
  /** Those of them that had ended when the step asked for its own. */
  readonly ready: number;
  /** Time in which others were played, counted from some moment before. */
  readonly busyMs: () => number;
}

export interface QueuedGroup {
  readonly step: number;
  readonly policy: Policy;
  readonly key: GroupKey;
  /** Null for one that is stored. */
  readonly ended: Promise<readonly FinishedRollout[] | null>;
}

export class GroupQueue {
  readonly #stored: StoredGroups | null;
  #groups: readonly QueuedGroup[] = [];
  readonly #ended = new WeakSet<GroupKey>();
  readonly #progress = new Map<number, StepProgress>();
  #player: RolloutPlayer | null = null;
  /** The step that is waited for, or was last. */
  #step = 0;
  #isAwaited = false;
  #reportedPauseMs = 0;

  /** `stored` keeps groups that wait for their step; with null they wait in memory. */
  constructor(stored: StoredGroups | null = null) {
    this.#stored = stored;
  }

  /** In their order. */
  get groups(): readonly QueuedGroup[] {
    return this.#groups;
  }

  /** Begins the groups of a step, behind those that were issued before, with the settings of `context`; stored ones are not played. */
  issue(context: RunContext, { step, items, policy, settingsHash }: IssuedBatch): void {
    const tasks = items.map((item, group) => groupTasks(context.config, item, group, step));
    const progress = new StepProgress(context.reporting.watch, step, tasks.flat().length);
    this.#progress.set(step, progress);
    const player = this.#open(context, step);
    const options = playOptions(context, policy, progress);
    const keys = items.map(({ position }) => ({
      position,
      version: policy.version,
      settingsHash,
    }));
    const isStored = keys.map((key) => this.#stored?.has(key) === true);
    const played = player
      .play(
        tasks.filter((_, i) => isStored[i] !== true),
        options,
      )
      .values();
    const issued = keys.map((key, i): QueuedGroup => {
      const ended =
        isStored[i] === true
          ? this.#restore(key, tasks[i] ?? [], player, options)
          : this.#store(key, played.next().value);
      // Awaited when its step comes; until then a failure must not count as one that nobody handles.
      ended.then(() => this.#ended.add(key)).catch(() => undefined);
      return { step, policy, key, ended };
    });
    this.#groups = [...this.#groups, ...issued];
  }

  /**
   * Waits for the groups of a step. They stay in the queue until they are {@link release}d. Rejects, when nothing plays any more, with
   * the first fatal fault or the reason of a stop.
   * @throws AppError `run-capacity`, or that of an environment, when one is unavailable for too long; `group-unreadable`
   */
  async take(step: number): Promise<TakenBatch> {
    const groups = this.#groups.filter((group) => group.step === step);
    const depth = this.#groups.length;
    const ready = this.#groups.filter(({ key }) => this.#ended.has(key)).length;
    this.#progress.get(step)?.begin();
    this.#progress.delete(step);
    this.#step = step;
    this.#isAwaited = true;
    this.#player?.check();
    try {
      const ended = await Promise.all(groups.map((group) => group.ended));
      const rollouts = [];
      for (const [i, { key }] of groups.entries())
        rollouts.push(...(ended[i] ?? (await this.#read(key))));
      this.#player?.throwIfAborted();
      const pausedMs = await this.#takePausedMs(depth === groups.length);
      const busyMs = () => this.#player?.busyMs ?? 0;
      return {
        rollouts,
        policies: groups.map(({ policy }) => policy),
        pausedMs,
        depth,
        ready,
        busyMs,
      };
    } catch (error) {
      this.#player?.abort(error);
      await this.#end();
      throw error;
    } finally {
      this.#isAwaited = false;
    }
  }

  /** Forgets the groups of a completed step. */
  release(step: number): void {
    this.#groups = this.#groups.filter((group) => group.step > step);
  }

  /** Ends what is playing, for the reason that the run ends. */
  async close(): Promise<void> {
    this.#player?.abort(new AppError("run-ended", "The run ended before the rollout."));
    await this.#end().catch(() => undefined);
  }

  #open(context: RunContext, step: number): RolloutPlayer {
    if (this.#player !== null) return this.#player;
    this.#step = step;
    this.#reportedPauseMs = 0;
    this.#player = new RolloutPlayer(context, this.#scope());
    return this.#player;
  }

  #scope(): OutageScope {
    const stepOf = () => this.#step;
    const isAwaited = () => this.#isAwaited;
    return {
      get step() {
        return stepOf();
      },
      get isAwaited() {
        return isAwaited();
      },
    };
  }

  async #store(
    key: GroupKey,
    playing: Promise<readonly FinishedRollout[]> | undefined,
  ): Promise<readonly FinishedRollout[] | null> {
    const rollouts = (await playing) ?? [];
    if (this.#stored === null) return rollouts;
    await this.#stored.add(key, rollouts);
    return null;
  }

  /** Reports a group that an earlier attempt has played; plays it when it cannot be read, or was of another step. */
  async #restore(
    key: GroupKey,
    tasks: readonly RolloutTask[],
    player: RolloutPlayer,
    options: PlayOptions,
  ): Promise<readonly FinishedRollout[] | null> {
    const rollouts = await this.#stored?.read(key);
    const isOfStep =
      rollouts?.every(({ task }, i) => {
        const own = tasks[i];
        return task.step === own?.step && task.group === own.group;
      }) === true;
    if (rollouts == null || !isOfStep) {
      return this.#store(key, player.play([tasks], options)[0]);
    }
    for (const rollout of rollouts) await options.onFinished(rollout);
    return null;
  }

  async #read(key: GroupKey): Promise<readonly FinishedRollout[]> {
    const rollouts = await this.#stored?.read(key);
    if (rollouts != null) return rollouts;
    throw new AppError(
      "group-unreadable",
      `The rollouts of task ${key.position} cannot be read from the folder pending of the run. The run is saved; resume it, and they are played again.`,
    );
  }

  async #takePausedMs(isLast: boolean): Promise<number> {
    const player = this.#player;
    if (isLast) await this.#end();
    const totalMs = player?.waitedMs ?? 0;
    const pausedMs = totalMs - this.#reportedPauseMs;
    this.#reportedPauseMs = totalMs;
    return pausedMs;
  }

  async #end(): Promise<void> {
    const player = this.#player;
    this.#player = null;
    await Promise.allSettled(this.#groups.map(({ ended }) => ended));
    await player?.end();
  }
}

function playOptions(
  context: RunContext,
  { sampler }: Policy,
  progress: StepProgress,
): PlayOptions {
  const { config, ports, storage } = context;
  return {
    context,
    sampler,
    seedOf: (task, attempt, turn) => rolloutSeed(ports.sha256, config.seed, task, attempt, turn),
    onFinished: async (rollout) => {
      await storage.store.addRollout(await storedRecord(context, rollout));
      progress.add(rollout);
      await pauseAtFailure(context, rollout);
    },
  };
}

function groupTasks(
  config: Config,
  item: TaskItem,
  group: number,
  step: number,
): readonly RolloutTask[] {
  const { environment, split, index } = item;
  const size = config.environments[environment]?.num_rollouts ?? 0;
  return Array.from({ length: size }, (_, rollout) => ({
    step,
    group,
    rollout,
    taskKey: taskKeyOf(item),
    environment,
    split,
    index,
  }));
}
