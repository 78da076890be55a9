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
import { RolloutPlayer } from "./rolloutPlayer.ts";
import { StepProgress } from "./stepProgress.ts";
import { storedRecord } from "./storedRecord.ts";

/** The groups of one step. */
export interface IssuedBatch {
  readonly step: number;
  readonly items: readonly TaskItem[];
  /** What samples them. */
  readonly policy: Policy;
}

export interface TakenBatch {
  /** In the order of groups and rollouts. */
  readonly rollouts: readonly FinishedRollout[];
  /** What sampled each group. */
  readonly policies: readonly Policy[];
  /** Time for which the run was paused because of its environments since the batch before. */
  readonly pausedMs: number;
}

interface QueuedGroup {
  readonly step: number;
  readonly item: TaskItem;
  readonly policy: Policy;
  readonly rollouts: Promise<readonly FinishedRollout[]>;
}

export class GroupQueue {
  readonly #groups: QueuedGroup[] = [];
  readonly #progress = new Map<number, StepProgress>();
  #player: RolloutPlayer | null = null;
  /** The step that is waited for, or was last. */
  #step = 0;
  #isAwaited = false;
  #reportedPauseMs = 0;

  /** Begins the groups of a step, behind those that were issued before, with the settings of `context`. */
  issue(context: RunContext, { step, items, policy }: IssuedBatch): void {
    const { config, ports, reporting, storage } = context;
    const tasks = items.map((item, group) => groupTasks(config, item, group, step));
    const progress = new StepProgress(reporting.watch, step, tasks.flat().length);
    this.#progress.set(step, progress);
    const playing = this.#open(context, step).play(tasks, {
      context,
      sampler: policy.sampler,
      seedOf: (task, attempt, turn) => rolloutSeed(ports.sha256, config.seed, task, attempt, turn),
      onFinished: async (rollout) => {
        await storage.store.addRollout(await storedRecord(context, rollout));
        progress.add(rollout);
        await pauseAtFailure(context, rollout);
      },
    });
    for (const [i, item] of items.entries()) {
      const rollouts = playing[i] ?? Promise.resolve([]);
      this.#groups.push({ step, item, policy, rollouts });
    }
  }

  /**
   * Waits for the groups of a step and takes them. Rejects, when nothing plays any more, with the first fatal fault or the reason of a
   * stop. @throws AppError `run-capacity`, or that of an environment, when one is unavailable for too long
   */
  async take(step: number): Promise<TakenBatch> {
    const groups = this.#groups.filter((group) => group.step === step);
    this.#progress.get(step)?.begin();
    this.#progress.delete(step);
    this.#step = step;
    this.#isAwaited = true;
    this.#player?.check();
    try {
      const rollouts = (await Promise.all(groups.map((group) => group.rollouts))).flat();
      this.#groups.splice(0, groups.length);
      const pausedMs = await this.#takePausedMs();
      return { rollouts, policies: groups.map(({ policy }) => policy), pausedMs };
    } catch (error) {
      await this.#end();
      throw error;
    } finally {
      this.#isAwaited = false;
    }
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

  async #takePausedMs(): Promise<number> {
    const player = this.#player;
    if (this.#groups.length === 0) await this.#end();
    const totalMs = player?.waitedMs ?? 0;
    const pausedMs = totalMs - this.#reportedPauseMs;
    this.#reportedPauseMs = totalMs;
    return pausedMs;
  }

  async #end(): Promise<void> {
    const player = this.#player;
    this.#player = null;
    await player?.end();
  }
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
