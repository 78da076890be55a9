/** Which checkpoint of a run is the best by its evaluations, and what has to change in `checkpoints.jsonl` for that. */

import {
  BEST_MEASURES,
  type BestMeasure,
  bestMetricName,
} from "../config/rules/evaluationCells.ts";
import { type CheckpointEntry, newestSave, usableCheckpoints } from "./checkpointLog.ts";
import type { EvaluationEntry, StoredResult } from "./evaluationLog.ts";
import { areEnoughScored } from "./metrics/outcomes.ts";

export interface BestChange {
  /** The best one, when it was not marked as such; null when nothing changes about it. */
  readonly marked: CheckpointEntry | null;
  /** Those that lose their mark. */
  readonly unmarked: readonly CheckpointEntry[];
  /** Those that were saved to be compared, were, and are not the best: no one needs them. */
  readonly replaced: readonly CheckpointEntry[];
}

const MEASURES: Readonly<Record<BestMeasure, (result: StoredResult) => number>> = {
  reward_mean: ({ rewardMean }) => rewardMean,
  success_frac: ({ successFraction }) => successFraction,
};

/**
 * What follows from all saves and evaluations of a run, and so is the same after a crash at any point. Of equal values the first
 * counts. The newest save is never replaced, because a resume begins with it.
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
 * Of the run's own weights; those before the first step are no checkpoint. An evaluation with more than 10 % failed rollouts judges
 * none: what it measured is not the policy.
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
