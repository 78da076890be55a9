/**
 * The groups that were issued and not trained yet, in the order of the data. Groups are issued between two updates, all with the
 * weights of that moment, and taken from the head step by step: how far a group lags behind follows from its position, never from
 * timing.
 */

import { sum } from "../../../shared/mean.ts";
import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import type { FinishedRollout, RolloutTask } from "../../rollout/rollout.ts";
import { rolloutSeed } from "../../rollout/seeds.ts";
import { raceAbort } from "../../util/abort.ts";
import { groupBy } from "../../util/groupBy.ts";
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
  /** The step that trains them, or the first that may. */
  readonly step: number;
  /** False while it depends on rewards which step trains them; their rollouts are written down when it takes them. */
  readonly isStepKnown: boolean;
  readonly items: readonly TaskItem[];
  /** What samples them. */
  readonly policy: Policy;
  /** Identifies the settings that they are played with. */
  readonly settingsHash: string;
}

export interface TakenBatch {
  /** In the order of groups and rollouts. */
  readonly rollouts: readonly FinishedRollout[];
  /** What sampled each group. */
  readonly policies: readonly Policy[];
  /** Time for which the run was paused because of its environments since the batch before. */
  readonly pausedMs: number;
  /** Groups that were issued before the update of these and are not trained, with these; ask before they are released. */
  readonly depth: () => number;
  /** Those of them that had ended when the step asked for its own. */
  readonly ready: number;
  /** Time in which others were played, counted from some moment before. */
  readonly busyMs: () => number;
}

/** The rollouts of a group that is issued and not played yet. */
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
  /** Number of its rollouts. */
  readonly size: number;
  /** Null for one that is stored. */
  readonly ended: Promise<readonly FinishedRollout[] | null>;
}

export class GroupQueue {
  readonly #stored: StoredGroups | null;
  #waiting: readonly QueuedGroup[] = [];
  readonly #held = new Map<GroupKey, HeldGroup>();
  /** By the step that took them and is not completed. */
  readonly #taken = new Map<number, readonly QueuedGroup[]>();
  readonly #ended = new WeakSet<GroupKey>();
  readonly #progress = new Map<number, StepProgress>();
  /** Stored groups that were read, or are. */
  readonly #reading = new WeakMap<GroupKey, Promise<readonly FinishedRollout[]>>();
  #player: RolloutPlayer | null = null;
  /** Time for which the run was paused because of its environments, and which no batch has reported. */
  #pausedMs = 0;

  /** `stored` keeps groups that wait for their step; with null they wait in memory. */
  constructor(stored: StoredGroups | null = null) {
    this.#stored = stored;
  }

  /** In their order. */
  get groups(): readonly QueuedGroup[] {
    return [...[...this.#taken.values()].flat(), ...this.#waiting];
  }

  /** Those that no step has taken, in their order. */
  get waiting(): readonly QueuedGroup[] {
    return this.#waiting;
  }

  /** Adds groups behind those that were issued before, to be played with the settings of `context`; stored ones are not played. */
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
    const options: PlayOptions = {
      context,
      sampler: policy.sampler,
      seedOf: (task, turn) => rolloutSeed(ports.sha256, config.seed, task, turn),
      onFinished: async (rollout) => {
        if (batch.isStepKnown) await writeRollout(context, rollout);
        progress[rollout.record.group - first]?.add(rollout);
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
          ? this.#restore(key, own, player, options)
          : this.#store(key, this.#hold(key, { context, tasks: own, options }));
      // Awaited when its step comes; until then a failure must not count as one that no one handles.
      ended.then(() => this.#ended.add(key)).catch(() => undefined);
      return { batch, key, size: own.length, ended, progress: progress[i] ?? new GroupProgress() };
    });
    this.#waiting = [...this.#waiting, ...issued];
  }

  /** Begins the first `count` groups that no step has taken, those that play already among them. */
  play(count: number): void {
    this.#begin(this.#waiting.slice(0, count));
  }

  /** Reads groups once all of them have ended, so that they need not be read when a step takes them. @throws as {@link take} */
  async read(groups: readonly QueuedGroup[]): Promise<void> {
    await Promise.all(groups.map(({ ended }) => ended));
    for (const group of groups) await this.#read(group);
  }

  /**
   * Takes up to `count` groups from the head for a step, behind those that it has taken before, and waits for them. They stay in the
   * queue until they are {@link release}d. Rejects, when nothing plays any more, with the first fatal fault or the reason of a stop.
   * @throws AppError `run-capacity`, or that of an environment, when one is unavailable for too long; `group-unreadable`; `disk`
   */
  async take(context: RunContext, step: number, count: number): Promise<TakenBatch> {
    const before = this.#taken.get(step) ?? [];
    const ready = [...before, ...this.#waiting].filter(({ key }) => this.#ended.has(key)).length;
    const groups = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#taken.set(step, [...before, ...groups]);
    this.#report(context, step, groups);
    this.#begin(groups);
    const onPaused = (ms: number): void => {
      this.#pausedMs += ms;
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
      // Groups that are issued ahead may come at any time.
      if (this.#stored === null && this.#waiting.length === 0) await this.#end();
      const pausedMs = this.#takePausedMs();
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

  /** Forgets the groups of a completed step. */
  release(step: number): void {
    this.#taken.delete(step);
    this.#progress.delete(step);
  }

  /** Ends what is playing, for the reason that the run ends. Resolves with the milliseconds of pauses that no batch has reported. */
  async close(): Promise<number> {
    this.#player?.abort(new AppError("run-ended", "The run ended before the rollout."));
    await this.#end().catch(() => undefined);
    return this.#takePausedMs();
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

  /** Plays those of the groups that are held. */
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

  /** A rollout whose record is written needs no texts; one that waits on disk needs no tokens either. */
  async #keep(rollout: FinishedRollout, key: GroupKey | undefined): Promise<FinishedRollout> {
    const kept = withoutTexts(rollout);
    if (this.#stored === null || key === undefined) return kept;
    await this.#stored.add(key, rollout);
    return { ...kept, streams: [], images: [] };
  }

  /** Reports a group that an earlier attempt has played; plays it when it cannot be read. */
  async #restore(
    key: GroupKey,
    tasks: readonly RolloutTask[],
    player: RolloutPlayer,
    options: PlayOptions,
  ): Promise<readonly FinishedRollout[] | null> {
    const rollouts = await this.#stored?.read(key);
    const [place] = tasks;
    if (rollouts == null || place === undefined) {
      const [playing] = player.play([tasks], options);
      return this.#store(key, playing ?? Promise.resolve([]));
    }
    for (const rollout of rollouts) await options.onFinished(atPlace(rollout, place));
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
    // Where the step was known, the records were written when the rollouts ended.
    if (rollouts != null) return isStepKnown ? rollouts.map(withoutTexts) : rollouts;
    throw new AppError(
      "group-unreadable",
      `The rollouts of task ${key.position} cannot be read from the run's pending folder. The run is saved; resume it to sample them again.`,
    );
  }

  #takePausedMs(): number {
    const pausedMs = this.#pausedMs;
    this.#pausedMs = 0;
    return pausedMs;
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

/** One for each rollout of a task. */
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

/** The rollout as one of the group at `place`, which may have been unknown when it was played. */
function atPlace(rollout: FinishedRollout, { step, group }: GroupPlace): FinishedRollout {
  const { record, facts } = rollout;
  return {
    ...rollout,
    record: { ...record, step, group },
    facts: { ...facts, group },
  };
}
