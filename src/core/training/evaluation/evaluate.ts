/** Runs an evaluation and stores its results. */

import { taskId } from "../../../shared/taskId.ts";
import { successReward } from "../../config/fields/presets.ts";
import type { EvaluationConfig } from "../../config/fields/schema.ts";
import {
  type EvaluationCell,
  evaluationCells,
  rolloutsPerTask,
} from "../../config/rules/evaluationCells.ts";
import { environmentConfig } from "../../config/taskChoices.ts";
import { splitFault } from "../../openreward/faults.ts";
import type { FinishedRollout, RolloutTask } from "../../rollout/rollout.ts";
import { evaluationSeed } from "../../rollout/seeds.ts";
import {
  type EvaluatedModel,
  type EvaluationEntry,
  readEvaluations,
  type StoredResult,
} from "../../runFolder/evaluationLog.ts";
import { runPaths } from "../../runFolder/files/layout.ts";
import type { EvaluationUsage } from "../../runFolder/usageLog.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import { encodeJsonLine } from "../../util/jsonl.ts";
import { collectRollouts } from "../generation/collectRollouts.ts";
import { storedRecord } from "../generation/storedRecord.ts";
import { environmentOf, type PlayContext, type RunContext } from "../run/context.ts";
import { pauseUntilAvailable } from "../run/outages.ts";
import type { ProgressEvent, Watcher } from "../run/progress.ts";
import type { LoopPosition } from "../step/loopPosition.ts";
import { chooseTasks, doneFractionOf } from "../tasks/dataset.ts";
import { evaluatedTokens } from "../update/tokenRecords.ts";
import { summarizeEvaluation } from "./evaluation.ts";
import {
  type PlayedRollout,
  type PlayedRollouts,
  playedRollout,
  readPlayed,
} from "./storedEvaluation.ts";

/** `asked` is an evaluation that was started by itself, not by a run. */
export type EvaluationPurpose = "start" | "periodic" | "end" | "asked";

export interface EvaluationPlace {
  /** Completed steps. */
  readonly step: number;
  readonly purpose: EvaluationPurpose;
  /** Absent for the run's own weights. */
  readonly model?: EvaluatedModel;
}

/** The evaluation due before the next step, after `step` completed ones; null if none is due. */
export function dueEvaluation(
  context: Pick<RunContext, "config" | "sequence" | "totalSteps">,
  position: Pick<LoopPosition, "step" | "cursor">,
): EvaluationPlace | null {
  const { evaluation } = context.config;
  const { step } = position;
  if (evaluation === null) return null;
  const { at_start: atStart, every } = evaluation;
  if (step === 0) return atStart ? { step, purpose: "start" } : null;
  // After the last step comes the final evaluation or nothing: there is no further row to hold this one.
  const isOver = (doneFractionOf(context, position) ?? 0) >= 1;
  return every !== null && step % every === 0 && !isOver ? { step, purpose: "periodic" } : null;
}

/** {@link evaluate} while steps continue. It gets the next free slots, and its rollouts are reported separately from the step's. */
export function evaluateBesideSteps(
  context: RunContext,
  evaluation: EvaluationConfig,
  sampler: SamplingClient,
  at: EvaluationPlace,
): Promise<readonly StoredResult[]> {
  const { reporting } = context;
  const watch: Watcher = (event) => {
    if (event.kind !== "evaluating" && event.kind !== "rollout-finished") reporting.watch(event);
    else reporting.watch(besideSteps(event));
  };
  const quiet = { ...context, reporting: { ...reporting, watch } };
  const count = context.storage.usage.add;
  return evaluateAt(quiet, evaluation, { sampler, isUrgent: true, count }, at);
}

function besideSteps(
  event: Extract<ProgressEvent, { kind: "evaluating" | "rollout-finished" }>,
): ProgressEvent {
  const done = event.kind === "evaluating" ? 0 : event.done;
  return { kind: "evaluating-beside", step: event.step, done, rollouts: event.rollouts };
}

/**
 * Evaluates `sampler` after `step` completed steps on everything that is configured. Rollouts go to `eval/step-NNNNNN.jsonl`, and one
 * line of results to `eval/results.jsonl`. If that line exists, these weights were already evaluated, by an earlier attempt or before a
 * budget ended the run, and its results are returned.
 * Rollouts that it finished are not played again; `count` counts the usage of the others. Rejects when the run is asked to stop.
 */
export function evaluate(
  context: PlayContext,
  evaluation: EvaluationConfig,
  sampler: SamplingClient,
  at: EvaluationPlace,
  count: (used: EvaluationUsage) => void = context.storage.usage.add,
): Promise<readonly StoredResult[]> {
  return evaluateAt(context, evaluation, { sampler, isUrgent: false, count }, at);
}

async function evaluateAt(
  context: PlayContext,
  evaluation: EvaluationConfig,
  how: Pick<EvaluateCellOptions, "sampler" | "isUrgent" | "count">,
  at: EvaluationPlace,
): Promise<readonly StoredResult[]> {
  const { fileSystem, folder } = context.storage;
  const { watch } = context.reporting;
  const evaluations = await readEvaluations(fileSystem, folder);
  const [first] = evaluations;
  const recorded = recordedResults(evaluations, at);
  if (recorded !== null) {
    const before = first?.results === recorded ? null : (first?.results ?? null);
    watch({ kind: "evaluated", ...at, results: recorded, baseline: before });
    return recorded;
  }
  const plan = [];
  for (const cell of evaluationCells(evaluation)) {
    plan.push({ cell, tasks: await cellTasks(context, evaluation, cell, at.step) });
  }
  await Promise.all(
    [...context.services.environments.values()].map(({ remote }) => remote.release()),
  );
  const count = plan.reduce((sum, { tasks }) => sum + tasks.length, 0);
  watch({ kind: "evaluating", ...at, rollouts: count });
  await fileSystem.makeDirectory(runPaths(folder).evalFolder);
  const played = await readPlayed(context.storage, at);
  const baseline = first === undefined ? null : await readPlayed(context.storage, first);
  const results: StoredResult[] = [];
  const report = progressReport(watch, at.step, count);
  const { seed } = evaluation;
  for (const { cell, tasks } of plan) {
    const rollouts = await playCell(context, cell, tasks, { ...how, seed, at, played, report });
    results.push(
      summarizeEvaluation(cell, rollouts, {
        successReward: successReward(environmentConfig(context.config, cell.environment)),
        failureReward: evaluation.failure_reward,
        baseline: baseline?.inCell(cell) ?? [],
      }),
    );
  }
  const line = { ...at, timeMs: context.ports.clock.now(), results };
  await fileSystem.append(runPaths(folder).evaluations, encodeJsonLine(line));
  watch({ kind: "evaluated", ...at, results, baseline: first?.results ?? null });
  return results;
}

/** Stored results after `step`; null without any. */
function recordedResults(
  evaluations: readonly EvaluationEntry[],
  { step, model }: EvaluationPlace,
): readonly StoredResult[] | null {
  const recorded = evaluations.findLast(
    (entry) => entry.step === step && entry.model?.path === model?.path,
  );
  return recorded?.results ?? null;
}

async function cellTasks(
  context: PlayContext,
  evaluation: EvaluationConfig,
  cell: EvaluationCell,
  step: number,
): Promise<readonly RolloutTask[]> {
  const { environment, split } = cell;
  const { gate, remote } = environmentOf(context, environment);
  const count = await pauseUntilAvailable(context, { step }, (signal) =>
    gate.query(() => remote.numTasks(split, { signal }), signal),
  ).catch(async (error: unknown) => {
    throw await splitFault(error, { remote, split }, "evaluation.splits");
  });
  const source = { environment, split, count, shuffle: true, numSamples: evaluation.num_samples };
  const indices = chooseTasks(source, evaluation.seed, context.ports.sha256, "subset|eval");
  return indices.flatMap((index, group) =>
    Array.from({ length: rolloutsPerTask(evaluation, cell) }, (_, rollout) => ({
      step,
      group,
      rollout,
      taskKey: taskId({ environment, split, index }),
      environment,
      split,
      index,
    })),
  );
}

interface EvaluateCellOptions {
  readonly sampler: SamplingClient;
  readonly isUrgent: boolean;
  readonly count: (used: EvaluationUsage) => void;
  readonly seed: number;
  readonly at: EvaluationPlace;
  /** Rollouts that an earlier attempt finished. */
  readonly played: PlayedRollouts;
  readonly report: (rollout: PlayedRollout) => void;
}

function progressReport(
  watch: Watcher,
  step: number,
  rollouts: number,
): (rollout: PlayedRollout) => void {
  let done = 0;
  return ({ reward, turns }) => {
    done += 1;
    const sampledTokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
    watch({ kind: "rollout-finished", step, done, rollouts, reward, sampledTokens });
  };
}

/** All rollouts of `tasks` in order, including those played before. */
async function playCell(
  context: PlayContext,
  cell: EvaluationCell,
  tasks: readonly RolloutTask[],
  { sampler, isUrgent, count, seed, at, played, report }: EvaluateCellOptions,
): Promise<readonly PlayedRollout[]> {
  const { ports, storage } = context;
  const { temperature } = cell;
  const known = played.ofTasks(cell, tasks);
  for (const record of known.records) report(record);
  const { purpose, model } = at;
  const use = { temperature, purpose, model: model?.name };
  const finished = await collectRollouts(context, known.missing, {
    sampler,
    isUrgent,
    seedOf: (task, turn) => evaluationSeed(ports.sha256, seed, task, turn),
    settings: (settings) => ({
      ...settings,
      temperature,
      topP: 1,
      topK: -1,
      // These tokens are not trained on.
      recomputesLogprobs: false,
      recordsStability: false,
      teacher: null,
    }),
    onFinished: async (rollout: FinishedRollout) => {
      const record = await storedRecord(context, rollout);
      await storage.store.addEvaluated(record, use, evaluatedTokens(rollout));
      report(playedRollout(record));
    },
    onUsed: ({ step, environment }, tokens) =>
      count({ for: "evaluation", step, environment, temperature, tokens }),
  });
  const records = [...known.records, ...finished.map(({ record }) => playedRollout(record))];
  // Task order, because the exact bits of sums and intervals depend on it.
  return records.sort((a, b) => a.group - b.group || a.rollout - b.rollout);
}
