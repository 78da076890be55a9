/** Marks a run's best checkpoint by `save_best`, and deletes checkpoints that were saved only for the comparison and lost. */

import { formatMeasure } from "../../shared/format.ts";
import {
  BEST_MEASURES,
  type BestMeasure,
  bestMetricName,
} from "../config/rules/evaluationCells.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
  newestSave,
  readCheckpoints,
  usableCheckpoints,
} from "../runFolder/checkpointLog.ts";
import {
  type EvaluationEntry,
  readEvaluations,
  type StoredResult,
} from "../runFolder/evaluationLog.ts";
import { areEnoughScored } from "../runFolder/metrics/outcomes.ts";
import type { PlayContext } from "./run/context.ts";
import { deleteCheckpoint } from "./run/deleteSaved.ts";
import { report } from "./run/report.ts";

export class BestCheckpoint {
  #updating: Promise<void> = Promise.resolve();
  /** Checkpoints that are not deleted because this run did not provably save them. */
  readonly #kept = new Set<string>();

  /** Call after each confirmed save and each evaluation, in any order. @throws AppError `disk` */
  update(context: PlayContext): Promise<void> {
    const { save_best: metric } = context.config;
    if (metric === null) return Promise.resolve();
    const updating = this.#updating.then(() => update(context, metric, this.#kept));
    this.#updating = updating.catch(() => undefined);
    return updating;
  }
}

async function update(context: PlayContext, metric: string, kept: Set<string>): Promise<void> {
  const { ports, reporting, storage } = context;
  const { fileSystem, folder } = storage;
  const entries = await readCheckpoints(fileSystem, folder);
  const evaluations = await readEvaluations(fileSystem, folder);
  const nowMs = ports.clock.now();
  const { marked, unmarked, replaced } = bestChange(entries, evaluations, metric, nowMs);
  for (const entry of unmarked) await appendCheckpoint(fileSystem, folder, entry);
  if (marked?.best !== undefined) {
    await appendCheckpoint(fileSystem, folder, marked);
    const { name, step, best } = marked;
    await report(reporting, {
      step,
      level: "info",
      kind: "best-checkpoint",
      message: `The best checkpoint so far is ${name}, after step ${step}: ${metric} is ${formatMeasure(best.value)}.`,
      data: { name, metric, value: best.value },
    });
  }
  // Write the mark first: a crash in between leaves one checkpoint too many, never one too few.
  for (const entry of replaced) {
    if (!kept.has(entry.name)) await deleteReplaced(context, entry, kept);
  }
}

/** A checkpoint that the service could not delete is tried again at the next save. */
async function deleteReplaced(
  context: PlayContext,
  entry: CheckpointEntry,
  kept: Set<string>,
): Promise<void> {
  const { name, step, state_path, sampler_path } = entry;
  const paths = [state_path, sampler_path].filter((path) => path !== null);
  const foreign = paths.filter((path) => !context.services.isOwn(path));
  if (foreign.length === 0) {
    const why = `${name} is no longer the best checkpoint`;
    await deleteCheckpoint(context, entry, { step, why });
    return;
  }
  kept.add(name);
  await report(context.reporting, {
    step,
    level: "warn",
    kind: "checkpoint-kept",
    message: `${name} is no longer the best checkpoint, but is kept: only the run folder says that this run saved ${foreign.join(" and ")}, which may belong to another run.`,
    data: { paths: foreign },
  });
}

interface BestChange {
  /** The new best checkpoint to mark; null when the mark does not change. */
  readonly marked: CheckpointEntry | null;
  /** Checkpoints that lose their mark. */
  readonly unmarked: readonly CheckpointEntry[];
  /** Checkpoints that were saved only for the comparison and are not the best. */
  readonly replaced: readonly CheckpointEntry[];
}

const MEASURES: Readonly<Record<BestMeasure, (result: StoredResult) => number>> = {
  reward_mean: ({ rewardMean }) => rewardMean,
  success_frac: ({ successFraction }) => successFraction,
};

/**
 * Derived from all saves and evaluations of a run, so the result is the same after a crash at any point. The first of equal values wins.
 * The newest save is never replaced, because a resume starts from it.
 */
export function bestChange(
  entries: readonly CheckpointEntry[],
  evaluations: readonly EvaluationEntry[],
  metric: string,
  nowMs: number,
): BestChange {
  const values = valuesByStep(evaluations, metric);
  const lasting = usableCheckpoints(entries, nowMs).filter(({ kind }) => kind !== "rolling");
  const best = lasting
    .toSorted((a, b) => a.step - b.step)
    .reduce<CheckpointEntry | null>((before, entry) => {
      const value = values.get(entry.step);
      if (value === undefined) return before;
      const least = before === null ? undefined : values.get(before.step);
      return least === undefined || value > least ? entry : before;
    }, null);
  const others = lasting.filter((entry) => entry !== best);
  const newest = newestSave(entries)?.name;
  const isReplaced = ({ kind, step, name }: CheckpointEntry): boolean =>
    kind === "best" && values.has(step) && name !== newest;
  return {
    marked: best === null ? null : newlyMarked(best, metric, values.get(best.step)),
    unmarked: others.filter((entry) => entry.best !== undefined && !isReplaced(entry)).map(unmark),
    replaced: others.filter(isReplaced).map(unmark),
  };
}

function newlyMarked(
  entry: CheckpointEntry,
  metric: string,
  value: number | undefined,
): CheckpointEntry | null {
  if (value === undefined) return null;
  const isMarked = entry.best?.metric === metric && entry.best.value === value;
  return isMarked ? null : { ...entry, best: { metric, value } };
}

function unmark({ best: _, ...entry }: CheckpointEntry): CheckpointEntry {
  return entry;
}

/**
 * Values of the run's own weights by step, without the evaluation before the first step. An evaluation with more than 10% failed rollouts
 * is ignored, because it does not measure the policy.
 */
function valuesByStep(
  evaluations: readonly EvaluationEntry[],
  metric: string,
): ReadonlyMap<number, number> {
  const values = new Map<number, number>();
  for (const { step, model, results } of evaluations) {
    const value = model === undefined && step > 0 ? valueIn(results, metric) : null;
    if (value !== null) values.set(step, value);
  }
  return values;
}

function valueIn(results: readonly StoredResult[], metric: string): number | null {
  for (const result of results) {
    const measure = BEST_MEASURES.find((each) => bestMetricName(result, each) === metric);
    if (measure === undefined) continue;
    const { rollouts, failed } = result;
    return areEnoughScored(rollouts - failed, rollouts) ? MEASURES[measure](result) : null;
  }
  return null;
}
