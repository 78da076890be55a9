/** Runs an evaluation and writes what came of it. */

import type { EvaluationConfig } from "../config/schema.ts";
import type { FinishedRollout, RolloutTask } from "../rollout/rollout.ts";
import { evaluationSeed } from "../rollout/seeds.ts";
import { readEvaluations } from "../runFolder/evaluationLog.ts";
import { evalPath, runPaths } from "../runFolder/layout.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { encodeJsonLine } from "../util/jsonl.ts";
import { collectRollouts } from "./collectRollouts.ts";
import { environmentOf, type RunContext, type RunStorage, SUCCESS_REWARD } from "./context.ts";
import { chooseTasks, doneFractionOf } from "./dataset.ts";
import {
  type EvaluationCell,
  type EvaluationResult,
  evaluationCells,
  summarizeEvaluation,
} from "./evaluation.ts";
import type { LoopPosition } from "./loopPosition.ts";
import { pauseUntilAvailable } from "./outageMonitor.ts";
import type { Watcher } from "./progress.ts";
import { storedRecord } from "./storedRecord.ts";

export type EvaluationPurpose = "start" | "periodic" | "end";

interface EvaluationPlace {
  /** Completed steps. */
  readonly step: number;
  readonly purpose: EvaluationPurpose;
}

/** The evaluation before the step that follows `step` completed ones; null without. */
export function dueEvaluation(
  context: Pick<RunContext, "config" | "sequence" | "totalSteps">,
  position: Pick<LoopPosition, "step" | "cursor">,
): EvaluationPlace | null {
  const { evaluation } = context.config;
  const { step } = position;
  if (evaluation === null) return null;
  const { at_start: atStart, every } = evaluation;
  if (step === 0) return atStart ? { step, purpose: "start" } : null;
  // After the last step the evaluation at the end follows, or nothing: no row is left to hold this one.
  const isOver = (doneFractionOf(context, position) ?? 0) >= 1;
  return every !== null && step % every === 0 && !isOver ? { step, purpose: "periodic" } : null;
}

/** {@link evaluate} while steps go on: it takes the next free slots, and watchers get its results only. */
export function evaluateBesideSteps(
  context: RunContext,
  evaluation: EvaluationConfig,
  sampler: SamplingClient,
  at: EvaluationPlace,
): Promise<readonly EvaluationResult[]> {
  const { reporting } = context;
  const watch: Watcher = (event) => {
    if (event.kind !== "evaluating" && event.kind !== "rollout-finished") reporting.watch(event);
  };
  const quiet = { ...context, reporting: { ...reporting, watch } };
  return evaluateAt(quiet, evaluation, { sampler, isUrgent: true }, at);
}

/**
 * Evaluates `sampler` after `step` completed steps on everything the configuration names. Bodies go to `eval/step-NNNNNN.jsonl`,
 * one line of results to `eval/results.jsonl`; when that line stands there, an attempt before this one has evaluated these weights,
 * and its results are given. Rejects when the run is asked to stop.
 */
export function evaluate(
  context: RunContext,
  evaluation: EvaluationConfig,
  sampler: SamplingClient,
  at: EvaluationPlace,
): Promise<readonly EvaluationResult[]> {
  return evaluateAt(context, evaluation, { sampler, isUrgent: false }, at);
}

async function evaluateAt(
  context: RunContext,
  evaluation: EvaluationConfig,
  how: Pick<EvaluateCellOptions, "sampler" | "isUrgent">,
  at: EvaluationPlace,
): Promise<readonly EvaluationResult[]> {
  const { fileSystem, folder } = context.storage;
  const { watch } = context.reporting;
  const recorded = await recordedResults(context.storage, at);
  if (recorded !== null) {
    watch({ kind: "evaluated", ...at, results: recorded });
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
  const results: EvaluationResult[] = [];
  const report = progressReport(watch, at.step, count);
  for (const { cell, tasks } of plan) {
    const rollouts = await playCell(context, cell, tasks, { ...how, report });
    results.push(summarizeEvaluation(cell, rollouts, SUCCESS_REWARD));
  }
  const line = { step: at.step, purpose: at.purpose, timeMs: context.ports.clock.now(), results };
  await fileSystem.append(runPaths(folder).evaluations, encodeJsonLine(line));
  watch({ kind: "evaluated", ...at, results });
  return results;
}

/** The stored results after `step`; null without. At the end only an evaluation at the end counts, because it used the saved weights. */
async function recordedResults(
  { fileSystem, folder }: RunStorage,
  { step, purpose }: EvaluationPlace,
): Promise<readonly EvaluationResult[] | null> {
  const recorded = (await readEvaluations(fileSystem, folder)).findLast(
    (entry) => entry.step === step && (purpose !== "end" || entry.purpose === "end"),
  );
  return recorded?.results ?? null;
}

async function cellTasks(
  context: RunContext,
  evaluation: EvaluationConfig,
  cell: EvaluationCell,
  step: number,
): Promise<readonly RolloutTask[]> {
  const { environment, split } = cell;
  const { gate, remote } = environmentOf(context, environment);
  const count = await pauseUntilAvailable(context, step, (signal) =>
    gate.queryWhenReachable(() => remote.numTasks(split, { signal }), signal),
  );
  const source = { environment, split, count, shuffle: true, numSamples: evaluation.num_samples };
  const indices = chooseTasks(source, context.config.seed, context.ports.sha256, "subset|eval");
  return indices.flatMap((index, group) =>
    Array.from({ length: evaluation.rollouts_per_task }, (_, rollout) => ({
      step,
      group,
      rollout,
      taskKey: `${environment}:${split}:${index}`,
      environment,
      split,
      index,
    })),
  );
}

interface EvaluateCellOptions {
  readonly sampler: SamplingClient;
  readonly isUrgent: boolean;
  readonly report: (rollout: FinishedRollout) => void;
}

function progressReport(
  watch: Watcher,
  step: number,
  rollouts: number,
): (rollout: FinishedRollout) => void {
  let done = 0;
  return ({ reward, facts }) => {
    done += 1;
    const sampledTokens = facts.turns.reduce((sum, turn) => sum + turn.sampledTokens, 0);
    watch({ kind: "rollout-finished", step, done, rollouts, reward, sampledTokens });
  };
}

function playCell(
  context: RunContext,
  cell: EvaluationCell,
  tasks: readonly RolloutTask[],
  { sampler, isUrgent, report }: EvaluateCellOptions,
): Promise<readonly FinishedRollout[]> {
  const { config, ports, reporting, storage } = context;
  const { fileSystem, folder } = storage;
  const { temperature } = cell;
  return collectRollouts(context, tasks, {
    sampler,
    isUrgent,
    seedOf: (task, attempt, turn) => evaluationSeed(ports.sha256, config.seed, task, attempt, turn),
    settings: (settings) => ({ ...settings, temperature, topP: 1, topK: -1 }),
    onFinished: async (rollout) => {
      const record = await storedRecord(context, rollout);
      const line = encodeJsonLine(reporting.redactor.redactRecord({ ...record, temperature }));
      await fileSystem.append(evalPath(folder, rollout.record.step), line);
      report(rollout);
    },
    onUsed: ({ step }, tokens) => storage.usage.add({ for: "evaluation", step, tokens }),
  });
}
