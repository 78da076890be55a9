/**
 * Groups that were issued but not trained yet, in data order. Groups are issued between two updates, all with the current weights, and
 * taken from the head step by step, so a group's lag follows from its position, never from timing.
 */

import { groupBy } from "../../../shared/groupBy.ts";
import { sum } from "../../../shared/mean.ts";
import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import type { FinishedRollout, RolloutTask } from "../../rollout/rollout.ts";
import { rolloutSeed } from "../../rollout/seeds.ts";
import { raceAbort } from "../../util/abort.ts";
import type { RunContext } from "../run/context.ts";
import { pauseAtFailure } from "../run/failedRollouts.ts";
import { pauseUntilAvailable } from "../run/outages.ts";
import type { Policy } from "../run/policy.ts";
import { GroupProgress, StepProgress } from "../run/stepProgress.ts";
import { type TaskItem, taskKeyOf } from "../tasks/dataset.ts";
import { datumLength } from "../update/datums.ts";
import { type PlayOptions, RolloutPlayer } from "./rolloutPlayer.ts";
import type { GroupKey, StoredGroups } from "./storedGroups.ts";
import { withoutTexts, writeRollout } from "./storedRecord.ts";

/** Groups that are issued together. */
export interface IssuedBatch {
  /** The step that trains them, or the earliest step that may. */
  readonly step: number;
  /** False while rewards decide which step trains them; their rollouts are then stored when a step takes them. */
  readonly isStepKnown: boolean;
  readonly items: readonly TaskItem[];
  /** The policy that samples them. */
  readonly policy: Policy;
  /** Identifies the settings they are played with. */
  readonly settingsHash: string;
}

export interface TakenBatch {
  /** In order of groups and rollouts. */
  readonly rollouts: readonly FinishedRollout[];
  /** The policy that sampled each group. */
  readonly policies: readonly Policy[];
  /** How long unavailable environments paused the run since the previous batch. */
  readonly pausedMs: number;
  /** Counts groups issued before this batch's update and not trained yet, including this batch. Call before {@link GroupQueue.release}. */
  readonly depth: () => number;
  /** How many of those had finished when the step asked for its groups. */
  readonly ready: number;
  /** Total time in which any rollouts were playing; only differences are meaningful. */
  readonly busyMs: () => number;
}

/** The rollouts of a group that is issued but not started. */
interface HeldGroup {
  readonly context: RunContext;
  readonly tasks: readonly RolloutTask[];
  readonly options: PlayOptions;
  readonly resolve: (playing: Promise<readonly FinishedRollout[]> | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

interface QueuedGroup {
  readonly batch: IssuedBatch;
  readonly key: GroupKey;
  readonly progress: GroupProgress;
  /** Number of rollouts in the group. */
  readonly size: number;
  /** Resolves with null for a stored group. */
  readonly ended: Promise<readonly FinishedRollout[] | null>;
}

export class GroupQueue {
  readonly #stored: StoredGroups | null;
  #waiting: readonly QueuedGroup[] = [];
  readonly #held = new Map<GroupKey, HeldGroup>();
  /** Groups taken by steps that are not completed, by step. */
  readonly #taken = new Map<number, readonly QueuedGroup[]>();
  readonly #ended = new WeakSet<GroupKey>();
  readonly #progress = new Map<number, StepProgress>();
  /** Stored groups that have been or are being read. */
  readonly #reading = new WeakMap<GroupKey, Promise<readonly FinishedRollout[]>>();
  #player: RolloutPlayer | null = null;
  /** How long unavailable environments paused the run, not yet reported with a batch. */

  /** `stored` keeps waiting groups on disk; with null they wait in memory. */
  constructor(stored: StoredGroups | null = null) {
    this.#stored = stored;
  }

  /** All groups in order. */
  get groups(): readonly QueuedGroup[] {
    return [...[...this.#taken.values()].flat(), ...this.#waiting];
  }

  /** Groups that no step has taken, in order. */
  get waiting(): readonly QueuedGroup[] {
    return this.#waiting;
  }

  /** Appends groups to be played with the settings of `context`; stored groups are not played again. */
  issue(context: RunContext, batch: IssuedBatch): void {
    const { step, items, policy, settingsHash } = batch;
    const first = this.groups.filter((group) => group.batch.step === step).length;
    const progress = items.map(() => new GroupProgress());
    const tasks = items.map((item, i) =>
      groupTasks(context.config, item, { step, group: first + i }),
    );
    const player = this.#open(context);
    const { version } = policy;
    const keys = items.map(({ position }): GroupKey => ({ position, version, settingsHash }));
    const { config, ports, storage } = context;
    const report = async (rollout: FinishedRollout): Promise<void> => {
      if (batch.isStepKnown) await writeRollout(context, rollout);
      progress[rollout.record.group - first]?.add(rollout);
    };
    const options: PlayOptions = {
      context,
      sampler: policy.sampler,
      seedOf: (task, turn) => rolloutSeed(ports.sha256, config.seed, task, turn),
      onFinished: async (rollout) => {
        await report(rollout);
        await pauseAtFailure(context, rollout);
      },
      onUsed: ({ group, rollout }, tokens, streams) => {
        const position = items[group - first]?.position ?? 0;
        const length = sum(streams.map(datumLength));
        const data = length > 0 ? length : undefined;
        storage.usage.add({ for: "rollout", position, version, rollout, tokens, data });
      },
      keep: (rollout) => this.#keep(rollout, keys[rollout.record.group - first]),
    };
    const issued = keys.map((key, i): QueuedGroup => {
      const own = tasks[i] ?? [];
      const ended =
        this.#stored?.has(key) === true
          ? this.#restore(key, own, { player, options, report })
          : this.#store(key, this.#hold(key, { context, tasks: own, options }));
      // Awaited when its step comes; until then a failure must not count as an unhandled rejection.
      ended.then(() => this.#ended.add(key)).catch(() => undefined);
      return { batch, key, size: own.length, ended, progress: progress[i] ?? new GroupProgress() };
    });
    this.#waiting = [...this.#waiting, ...issued];
  }

  /** Starts the first `count` groups that no step has taken, counting those that are already playing. */
  play(count: number): void {
    this.#begin(this.#waiting.slice(0, count));
  }

  /** Reads stored groups into memory once all of them have finished, before a step takes them. @throws as {@link take} */
  async read(groups: readonly QueuedGroup[]): Promise<void> {
    await Promise.all(groups.map(({ ended }) => ended));
    for (const group of groups) await this.#read(group);
  }

  /**
   * Takes up to `count` groups from the head for a step, after those it already took, and waits for them. They stay in the queue until
   * {@link release}. Rejects with the first fatal fault or the reason of a stop, once nothing is playing anymore.
   * @throws AppError `run-capacity`, or the environment's error, when it is unavailable for too long; `group-unreadable`; `disk`
   */
  async take(context: RunContext, step: number, count: number): Promise<TakenBatch> {
    const before = this.#taken.get(step) ?? [];
    const ready = [...before, ...this.#waiting].filter(({ key }) => this.#ended.has(key)).length;
    const groups = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#taken.set(step, [...before, ...groups]);
    this.#report(context, step, groups);
    this.#begin(groups);
    let pausedMs = 0;
    const onPaused = (ms: number): void => {
      pausedMs += ms;
    };
    try {
      const ended = await pauseUntilAvailable(context, { step, onPaused }, (signal) =>
        raceAbort(Promise.all(groups.map((group) => group.ended)), signal),
      );
      const rollouts = [];
      for (const [i, group] of groups.entries()) {
        const played = ended[i] ?? (await this.#read(group));
        const own = played.map((each) => atPlace(each, { step, group: before.length + i }));
        for (const rollout of own) {
          if (!group.batch.isStepKnown) await writeRollout(context, rollout);
          rollouts.push(withoutTexts(rollout));
        }
      }
      this.#player?.throwIfAborted();
      // Keep the player if groups are issued ahead, because more may come at any time.
      if (this.#stored === null && this.#waiting.length === 0) await this.#end();
      const busyMs = () => this.#player?.busyMs ?? 0;
      const policies = groups.map(({ batch }) => batch.policy);
      const depth = () => this.groups.filter(({ key }) => key.version <= step).length;
      return { rollouts, policies, pausedMs, depth, ready, busyMs };
    } catch (error) {
      this.#player?.abort(error);
      await this.#end();
      throw error;
    }
  }

  /** Drops the groups of a completed step. */
  release(step: number): void {
    this.#taken.delete(step);
    this.#progress.delete(step);
  }

  /** Stops whatever is playing because the run ends. */
  async close(): Promise<void> {
    this.#player?.abort(new AppError("run-ended", "The run ended before the rollout."));
    await this.#end().catch(() => undefined);
  }

  #report({ reporting }: RunContext, step: number, groups: readonly QueuedGroup[]): void {
    const progress = this.#progress.get(step) ?? new StepProgress(reporting.watch, step);
    this.#progress.set(step, progress);
    const rollouts = sum(groups.map(({ size }) => size));
    progress.take(
      groups.map((group) => group.progress),
      rollouts,
    );
  }

  #open(context: RunContext): RolloutPlayer {
    this.#player ??= new RolloutPlayer(context);
    return this.#player;
  }

  #hold(
    key: GroupKey,
    group: Omit<HeldGroup, "resolve" | "reject">,
  ): Promise<readonly FinishedRollout[]> {
    return new Promise((resolve, reject) => {
      this.#held.set(key, { ...group, resolve: (playing) => resolve(playing ?? []), reject });
    });
  }

  /** Starts those of the groups that are held back. */
  #begin(groups: readonly QueuedGroup[]): void {
    for (const own of groupBy(groups, ({ batch }) => batch).values()) {
      const held = own.flatMap(({ key }) => this.#held.get(key) ?? []);
      for (const { key } of own) this.#held.delete(key);
      const [first] = held;
      if (first === undefined) continue;
      const tasks = held.map((group) => group.tasks);
      const playing = this.#open(first.context).play(tasks, first.options);
      for (const [i, { resolve }] of held.entries()) resolve(playing[i]);
    }
  }

  async #store(
    key: GroupKey,
    playing: Promise<readonly FinishedRollout[]>,
  ): Promise<readonly FinishedRollout[] | null> {
    const rollouts = await playing;
    if (this.#stored === null) return rollouts;
    await this.#stored.complete(key);
    return null;
  }

  /** A rollout whose record is stored needs no texts in memory; one that waits on disk needs no tokens either. */
  async #keep(rollout: FinishedRollout, key: GroupKey | undefined): Promise<FinishedRollout> {
    const kept = withoutTexts(rollout);
    if (this.#stored === null || key === undefined) return kept;
    await this.#stored.add(key, rollout);
    return { ...kept, streams: [], images: [] };
  }

  /** Reports a group that an earlier attempt played, or plays it again when it cannot be read. */
  async #restore(
    key: GroupKey,
    tasks: readonly RolloutTask[],
    {
      player,
      options,
      report,
    }: {
      readonly player: RolloutPlayer;
      readonly options: PlayOptions;
      readonly report: PlayOptions["onFinished"];
    },
  ): Promise<readonly FinishedRollout[] | null> {
    const rollouts = await this.#stored?.read(key);
    const [place] = tasks;
    if (rollouts == null || place === undefined) {
      const [playing] = player.play([tasks], options);
      return this.#store(key, playing ?? Promise.resolve([]));
    }
    // The attempt that played it has paused for its failures.
    for (const rollout of rollouts) await report(atPlace(rollout, place));
    return null;
  }

  #read({ key, batch }: QueuedGroup): Promise<readonly FinishedRollout[]> {
    const reading = this.#reading.get(key) ?? this.#readStored(key, batch);
    this.#reading.set(key, reading);
    return reading;
  }

  async #readStored(
    key: GroupKey,
    { isStepKnown }: IssuedBatch,
  ): Promise<readonly FinishedRollout[]> {
    const rollouts = await this.#stored?.read(key);
    // When the step was known, the records were stored as the rollouts ended.
    if (rollouts != null) return isStepKnown ? rollouts.map(withoutTexts) : rollouts;
    throw new AppError(
      "group-unreadable",
      `The rollouts of task ${key.position} cannot be read from the run's pending folder. The run is saved; resume it to sample them again.`,
    );
  }

  async #end(): Promise<void> {
    const player = this.#player;
    this.#player = null;
    for (const { reject } of this.#held.values()) {
      reject(new AppError("run-ended", "The run ended before the rollout."));
    }
    this.#held.clear();
    await Promise.allSettled(this.groups.map(({ ended }) => ended));
    await player?.end();
  }
}

type GroupPlace = Pick<RolloutTask, "step" | "group">;

/** One task per rollout of the group. */
function groupTasks(config: Config, item: TaskItem, place: GroupPlace): readonly RolloutTask[] {
  const { environment, split, index } = item;
  const size = config.environments[environment]?.num_rollouts ?? 0;
  const taskKey = taskKeyOf(item);
  return Array.from({ length: size }, (_, rollout) => ({
    ...place,
    rollout,
    taskKey,
    environment,
    split,
    index,
  }));
}

/** The rollout as part of the group at `place`, which may have been unknown when it was played. */
function atPlace(rollout: FinishedRollout, { step, group }: GroupPlace): FinishedRollout {
  const { record, facts } = rollout;
  return {
    ...rollout,
    record: { ...record, step, group },
    facts: { ...facts, group },
  };
}
