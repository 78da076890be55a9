/** The order of tasks: one endless sequence, determined by the seed, in which every epoch has every task once. */

import { taskId } from "../../../shared/taskId.ts";
import type { Config } from "../../config/fields/schema.ts";
import { environmentConfig } from "../../config/taskChoices.ts";
import { AppError } from "../../errors.ts";
import type { Sha256 } from "../../ports.ts";

export interface TaskRef {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
}

/** One split of one environment as configured. */
export interface TaskSource {
  readonly environment: string;
  readonly split: string;
  /** Number of tasks that the environment offers. */
  readonly count: number;
  readonly shuffle: boolean;
  readonly numSamples: number | null;
  readonly weight: number;
}

/** A split that the configuration trains on. */
export function taskSource(
  config: Config,
  { environment, split, count }: Pick<TaskSource, "environment" | "split" | "count">,
): TaskSource {
  const { weight, splits } = environmentConfig(config, environment);
  const { num_samples: numSamples = null, shuffle = true } = splits[split] ?? {};
  return { environment, split, count, shuffle: config.shuffle && shuffle, numSamples, weight };
}

export interface TaskItem extends TaskRef {
  /** Position in the sequence, which distinguishes repeated tasks. */
  readonly position: number;
  readonly epoch: number;
}

/** Key of an item: environment, split, index and position. */
export function taskKeyOf(item: TaskItem): string {
  return `${taskId(item)}#${item.position}`;
}

interface KeyedTask {
  readonly task: TaskRef;
  readonly key: string;
}

/** The tasks of one epoch in order. */
type EpochOrder = readonly TaskRef[];

export interface TaskSequence {
  readonly sources: readonly TaskSource[];
  /** Number of tasks per epoch. */
  readonly epochLength: number;
  /** Digest of sources, counts, mix and seed; a resume must find the same. */
  readonly fingerprint: string;
  itemAt(position: number): TaskItem;
}

/** Number of tasks per `ENVIRONMENT SPLIT`. */
export function taskCounts({
  sources,
}: Pick<TaskSequence, "sources">): Readonly<Record<string, number>> {
  return Object.fromEntries(
    sources.map(({ environment, split, count }) => [`${environment} ${split}`, count]),
  );
}

/**
 * Builds the sequence. `proportional` shuffles all tasks of an epoch together. `weighted` gives each environment its share of any prefix
 * to within about one item, with its own epochs.
 * @throws AppError `no-tasks` when a source has none
 */
export function createTaskSequence(
  sources: readonly TaskSource[],
  seed: number,
  mix: Config["mix"],
  sha256: Sha256,
): TaskSequence {
  const chosen = sources.map((source) => ({ source, indices: chooseTasks(source, seed, sha256) }));
  for (const { source, indices } of chosen) {
    if (indices.length === 0) throw noTasks(source);
  }
  const epochLength = chosen.reduce((sum, { indices }) => sum + indices.length, 0);
  const fingerprint = sha256(JSON.stringify({ sources, seed, mix }));
  const at =
    mix === "proportional"
      ? epochSequence(chosen, seed, sha256)
      : weightedSequence(chosen, seed, sha256);
  return {
    sources,
    epochLength,
    fingerprint,
    itemAt: (position) => ({
      ...at(position),
      position,
      epoch: Math.floor(position / epochLength),
    }),
  };
}

function noTasks({ environment, split }: TaskSource): AppError {
  return new AppError(
    "no-tasks",
    `Split ${split} of ${environment} has no tasks. Choose another split.`,
    {
      configPath: `environments.${environment}.splits.${split}`,
    },
  );
}

interface ChosenSource {
  readonly source: TaskSource;
  readonly indices: readonly number[];
}

/** All tasks, or `num_samples` of them: a fixed random subset if shuffled, otherwise the first ones. */
export function chooseTasks(
  source: Omit<TaskSource, "weight">,
  seed: number,
  sha256: Sha256,
  word = "subset",
): readonly number[] {
  const all = Array.from({ length: source.count }, (_, index) => index);
  const { environment, split, numSamples, shuffle } = source;
  if (numSamples === null || numSamples >= source.count) return all;
  if (!shuffle) return all.slice(0, numSamples);
  return all
    .map((index) => ({ index, key: sha256(`${word}|${seed}|${environment}|${split}|${index}`) }))
    .sort((a, b) => compare(a.key, b.key) || a.index - b.index)
    .slice(0, numSamples)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Maps positions to tasks, epoch by epoch; caches the last two epochs. */
function epochSequence(
  sources: readonly ChosenSource[],
  seed: number,
  sha256: Sha256,
): (position: number) => TaskRef {
  const length = sources.reduce((sum, { indices }) => sum + indices.length, 0);
  const epochs = new Map<number, EpochOrder>();
  return (position) => {
    const epoch = Math.floor(position / length);
    const order = epochs.get(epoch) ?? epochOrder(sources, seed, epoch, sha256);
    epochs.delete(epoch - 2);
    epochs.set(epoch, order);
    const task = order[position % length];
    if (task === undefined) throw new AppError("no-tasks", `No task at position ${position}.`);
    return task;
  };
}

/** Merged by digest; an unshuffled source keeps its own order within the merge. */
function epochOrder(
  sources: readonly ChosenSource[],
  seed: number,
  epoch: number,
  sha256: Sha256,
): EpochOrder {
  const keyed = sources.flatMap(({ source, indices }): KeyedTask[] => {
    const { environment, split } = source;
    const tasks = indices.map((index) => ({ environment, split, index }));
    const keys = tasks.map(({ index }) =>
      sha256(`perm|${seed}|${epoch}|${environment}|${split}|${index}`),
    );
    if (!source.shuffle) keys.sort(compare);
    return tasks.map((task, i) => ({ task, key: keys[i] ?? "" }));
  });
  return keyed
    .sort((a, b) => compare(a.key, b.key) || a.task.index - b.task.index)
    .map(({ task }) => task);
}

/** Largest-remainder schedule over environments, each with its own sequence. */
function weightedSequence(
  sources: readonly ChosenSource[],
  seed: number,
  sha256: Sha256,
): (position: number) => TaskRef {
  const names = [...new Set(sources.map(({ source }) => source.environment))];
  const queues = names.map((name) => {
    const own = sources.filter(({ source }) => source.environment === name);
    return { weight: own[0]?.source.weight ?? 1, next: 0, at: epochSequence(own, seed, sha256) };
  });
  const total = queues.reduce((sum, { weight }) => sum + weight, 0);
  const drawn: TaskRef[] = [];
  return (position) => {
    while (drawn.length <= position) {
      const due = queues.map(({ weight, next }) => (weight / total) * (drawn.length + 1) - next);
      const queue = queues[due.indexOf(Math.max(...due))];
      if (queue === undefined) break;
      drawn.push(queue.at(queue.next));
      queue.next += 1;
    }
    const task = drawn[position];
    if (task === undefined) throw new AppError("no-tasks", `No task at position ${position}.`);
    return task;
  };
}

/** Number of steps: all epochs in batches, the last one possibly short, bounded by `max_steps`; null when endless. */
export function totalSteps(
  config: Pick<Config, "num_epochs" | "max_steps" | "batch_size">,
  epochLength: number,
): number | null {
  const byEpochs =
    config.num_epochs === null
      ? null
      : Math.ceil((config.num_epochs * epochLength) / config.batch_size);
  if (byEpochs === null) return config.max_steps;
  return config.max_steps === null ? byEpochs : Math.min(byEpochs, config.max_steps);
}

/** What determines when a run ends. */
export interface RunLength {
  readonly config: Pick<Config, "num_epochs" | "refill">;
  readonly sequence: TaskSequence;
  /** Null when endless. */
  readonly totalSteps: number | null;
}

/**
 * Completed share of a run, 1 at its end; null when endless. With `refill` a step may take more tasks than a batch, so the data can end
 * before the steps do.
 */
export function doneFractionOf(
  { config, sequence, totalSteps }: RunLength,
  { step, cursor }: { readonly step: number; readonly cursor: number },
): number | null {
  const end = endOfData(sequence, config.num_epochs);
  // Earlier attempts may have had `refill`.
  const isOfData = end !== null && (config.refill || cursor >= end);
  const ofData = isOfData ? cursor / end : 0;
  return totalSteps === null ? null : Math.max(step / totalSteps, ofData);
}

/** True when the run may run out of data before `totalSteps`. */
export function isTotalAtMost({ num_epochs, refill }: RunLength["config"]): boolean {
  return refill && num_epochs !== null;
}

/** A sentence for each environment whose tasks repeat within the first step. */
export function repeatedTaskWarnings(
  sequence: TaskSequence,
  config: Pick<Config, "num_epochs" | "batch_size">,
): readonly string[] {
  const taken = new Map<string, string[]>();
  for (const { environment, split, index } of batchAt(sequence, 0, config)) {
    taken.set(environment, [...(taken.get(environment) ?? []), `${split}:${index}`]);
  }
  return [...taken].flatMap(([environment, tasks]) => {
    const different = new Set(tasks).size;
    if (different === tasks.length) return [];
    return `batch_size: ${config.batch_size} takes ${tasks.length} tasks of ${environment} for the first step, but only ${different} of them are different: a task that occurs more than once is a group each time. Lower batch_size, or use more tasks.`;
  });
}

/** The items of a step: one batch from `cursor`, cut off at the end of the last epoch. */
export function batchAt(
  sequence: TaskSequence,
  cursor: number,
  config: Pick<Config, "num_epochs" | "batch_size">,
): readonly TaskItem[] {
  return itemsFrom(sequence, cursor, config.batch_size, config);
}

/** Up to `count` items from `cursor`, cut off at the end of the last epoch. */
export function itemsFrom(
  sequence: Pick<TaskSequence, "epochLength" | "itemAt">,
  cursor: number,
  count: number,
  { num_epochs: epochs }: Pick<Config, "num_epochs">,
): readonly TaskItem[] {
  const end = Math.min(cursor + count, endOfData(sequence, epochs) ?? Number.POSITIVE_INFINITY);
  return Array.from({ length: Math.max(0, end - cursor) }, (_, i) => sequence.itemAt(cursor + i));
}

/** The position after the last item of all epochs; null when endless. */
export function endOfData(
  { epochLength }: Pick<TaskSequence, "epochLength">,
  epochs: number | null,
): number | null {
  return epochs === null ? null : epochs * epochLength;
}
