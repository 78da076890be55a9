/** Compares the newest evaluations of runs, with rewards per task and per-task differences. */

import {
  pairedDifference,
  type TaskOutcome,
  taskRewards,
} from "../../core/compare/pairedEvaluation.ts";
import type { FileSystem } from "../../core/ports.ts";
import {
  cellName,
  type EvaluationEntry,
  readEvaluations,
} from "../../core/runFolder/evaluationLog.ts";
import { createRunReader, type RolloutSummary } from "../../core/runFolder/reader.ts";
import { mean } from "../../core/util/stats.ts";
import type { ComparedCell, ComparedResult } from "../../shared/runsPage.ts";

/** Maximum number of tasks listed. */
const MAX_TASKS = 2_000;

interface FoundResult {
  readonly result: Omit<ComparedResult, "difference" | "tasks">;
  readonly outcomes: readonly TaskOutcome[];
  readonly tasks: ReadonlyMap<number, number>;
  /** The reward that a failed rollout counts as. */
  readonly failureReward: number;
}

/** Folders by run id, in order: the first evaluated run is the baseline. */
export async function compareEvaluations(
  fileSystem: FileSystem,
  folders: ReadonlyMap<string, string>,
): Promise<readonly ComparedCell[]> {
  const cells = new Map<string, Map<string, FoundResult>>();
  for (const [id, folder] of folders) {
    for (const [cell, found] of await newestResults(fileSystem, folder)) {
      const own = cells.get(cell) ?? new Map<string, FoundResult>();
      cells.set(cell, own.set(id, found));
    }
  }
  return [...cells].map(([cell, results]) => comparedCell(cell, results));
}

function comparedCell(cell: string, results: ReadonlyMap<string, FoundResult>): ComparedCell {
  const [baseline] = results.values();
  const tasks = [...new Set([...results.values()].flatMap((found) => [...found.tasks.keys()]))];
  const listed = tasks.sort((a, b) => a - b).slice(0, MAX_TASKS);
  const compared = [...results].map(([id, found]) => {
    const difference =
      baseline === undefined || found === baseline
        ? null
        : pairedDifference(baseline.outcomes, found.outcomes, lowestOf(baseline, found));
    const rewards = listed.map((task) => found.tasks.get(task) ?? null);
    return [id, { ...found.result, difference, tasks: rewards }] as const;
  });
  return { cell, tasks: listed, results: Object.fromEntries(compared) };
}

/** Each result records what its own failures count as. */
function lowestOf(first: FoundResult, second: FoundResult): number {
  return Math.min(first.failureReward, second.failureReward);
}

async function newestResults(
  fileSystem: FileSystem,
  folder: string,
): Promise<ReadonlyMap<string, FoundResult>> {
  const files = fileSystem.within(folder);
  const newest = (await readEvaluations(files, folder)).at(-1);
  if (newest === undefined) return new Map();
  const rollouts = await createRunReader(files, folder).rollouts(newest.step, "evaluation");
  const own = rollouts.filter((rollout) => isOf(newest, rollout));
  return new Map(newest.results.map((result) => foundResult(newest, result, own)));
}

/** A file contains all evaluations after the same number of steps. */
function isOf({ purpose, model }: EvaluationEntry, rollout: RolloutSummary): boolean {
  return rollout.model === model?.name && rollout.purpose === purpose;
}

function foundResult(
  { step, model }: EvaluationEntry,
  result: EvaluationEntry["results"][number],
  rollouts: readonly RolloutSummary[],
): readonly [string, FoundResult] {
  const { environment, split, temperature, rewardMean, low, high, failed } = result;
  const own = rollouts.filter(
    (rollout) =>
      rollout.environment === environment &&
      rollout.split === split &&
      rollout.temperature === temperature,
  );
  const { failureReward } = result;
  const tasks = [...taskRewards(own, failureReward)].map(
    ([index, rewards]) => [index, mean(rewards) ?? 0] as const,
  );
  const found = {
    step,
    mean: rewardMean,
    low,
    high,
    failed,
    rollouts: own.length,
    model: model?.name,
  };
  return [cellName(result), { result: found, outcomes: own, tasks: new Map(tasks), failureReward }];
}
