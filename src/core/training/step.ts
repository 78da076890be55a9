/** One step of training: rollouts, groups, datums, an update of the policy, and everything written down about it. */

import type { FinishedRollout } from "../rollout/rollout.ts";
import { appendMetrics, buildMetricsRow } from "../runFolder/metrics.ts";
import { type MetricsRow, type MetricsTree, mergeMetrics } from "../runFolder/metricsTree.ts";
import type { StepFacts, TokenCounts } from "../runFolder/stepFacts.ts";
import { summarize } from "../util/stats.ts";
import { applyAlarmActions } from "./alarms.ts";
import type { RunContext, RunReporting } from "./context.ts";
import { isTotalAtMost } from "./dataset.ts";
import type { TrainingDatum } from "./datums.ts";
import { gatherStepFacts, type StepInput } from "./gatherStepFacts.ts";
import { type ScoredGroup, scoreGroups, type TrainingBatch, trainingBatch } from "./groups.ts";
import { requireNoInternalErrors } from "./internalErrors.ts";
import { withKlPenalty } from "./klPenalty.ts";
import type { ProgressEvent } from "./progress.ts";
import { refillCost } from "./refill.ts";
import { report } from "./report.ts";
import { learningRateAt } from "./schedule.ts";
import { toTokenRecord } from "./tokenRecords.ts";
import { type TrainedStep, trainStep } from "./trainStep.ts";

export interface StepOutput {
  readonly row: MetricsRow;
  /** Null when nothing was trained. */
  readonly trained: TrainedStep | null;
  readonly rollouts: readonly FinishedRollout[];
  /** Position after it. */
  readonly cursor: number;
  readonly rewardMean: number | null;
  readonly totals: TokenCounts;
  readonly totalS: number;
}

/** Runs one step and appends its row. Rejects, with nothing trained, when the run is asked to stop before the update. */
export async function runStep(context: RunContext, input: StepInput): Promise<StepOutput> {
  const { config, reporting, storage } = context;
  const { clock } = context.ports;
  const { step } = input;
  const startedMs = clock.monotonic();
  const batch = await input.take();
  const { rollouts, pausedMs } = batch;
  const rolloutS = (clock.monotonic() - startedMs - pausedMs) / 1000;
  // Before the update: what ends an evaluation, as a stop does, must not keep an update from its row.
  const extra = await input.extra;
  await requireNoInternalErrors(reporting, step, rollouts);
  await reportFailure(reporting, step, rollouts);
  const groups = scoreGroups(rollouts, config);
  await storage.store.addScores(step, scores(groups));
  const untrained = trainingBatch(groups);
  const learningRate = learningRateAt(config, step, context.totalSteps);
  const trainingFromMs = clock.monotonic();
  const busyFromMs = batch.busyMs();
  const update =
    untrained.data.length === 0 ? null : await train(context, input, untrained, learningRate);
  const trained = update?.trained ?? null;
  const trainS = trained === null ? null : (clock.monotonic() - trainingFromMs) / 1000;
  const overlapS = (batch.busyMs() - busyFromMs) / 1000;
  const totalS = (clock.monotonic() - startedMs - pausedMs) / 1000;
  const times = { rolloutS, trainS, samplerS: trained?.samplerS ?? null, totalS, overlapS };
  const data = update?.data ?? [];
  const metrics = mergeMetrics(extra, update?.metrics ?? {});
  const results = { ...batch, groups, data, learningRate, trained, times, extra: metrics };
  const facts = gatherStepFacts(context, input, results);
  const judged = await input.alarms.evaluate(context, buildMetricsRow(facts));
  await appendMetrics(storage.fileSystem, storage.folder, judged.row);
  const finished = finishedEvent(context, input, facts, groups);
  reporting.watch(finished);
  applyAlarmActions(context, judged);
  const { rewardMean } = finished;
  const { cursor } = facts.progress;
  return {
    row: judged.row,
    trained,
    rollouts,
    cursor,
    rewardMean,
    totals: facts.totalTokens,
    totalS,
  };
}

/** Warns when all rollouts of a step failed, with the first error. */
async function reportFailure(
  reporting: RunReporting,
  step: number,
  rollouts: readonly FinishedRollout[],
): Promise<void> {
  const errors = rollouts.flatMap(({ record }) => record.error ?? []);
  const [first] = errors;
  if (first === undefined || errors.length < rollouts.length) return;
  const message = `step ${step + 1}: all ${rollouts.length} rollouts failed. The first: ${first}`;
  await report(reporting, { step, level: "warn", kind: "rollouts-failed", message });
}

function scores(groups: readonly ScoredGroup[]) {
  return groups.flatMap(({ rollouts }) =>
    rollouts.map(({ rollout, advantage, trainingUse }) => ({
      group: rollout.task.group,
      rollout: rollout.task.rollout,
      advantage,
      trainingUse,
    })),
  );
}

interface Update {
  readonly trained: TrainedStep;
  /** What was sent, with the advantages that it was trained with. */
  readonly data: readonly TrainingDatum[];
  readonly metrics: MetricsTree;
}

async function train(
  context: RunContext,
  { step, saveSampler }: StepInput,
  { data: scored, counted }: TrainingBatch,
  learningRate: number,
): Promise<Update> {
  const { config, control, ports, reporting, services, storage } = context;
  const tokens = scored.reduce((sum, datum) => sum + datum.tokens.length, 0);
  reporting.watch({ kind: "training", step, datums: scored.length, tokens });
  const penalized = config.kl_coef > 0 ? await withKlPenalty(context, scored) : null;
  const data = penalized?.data ?? scored;
  control.withdrawSave();
  const service = { client: services.client, clock: ports.clock, saveSampler };
  const trained = await trainStep(service, { data, counted }, config, learningRate);
  const records = data.map((datum, i) => toTokenRecord(datum, trained.logprobs[i] ?? null));
  await storage.store.addTokens(step, records);
  const klPolicyBase = penalized?.klPolicyBase ?? null;
  const metrics = klPolicyBase === null ? {} : { optim: { kl_policy_base: klPolicyBase } };
  return { trained, data, metrics };
}

function finishedEvent(
  { config, totalSteps }: RunContext,
  { totals }: StepInput,
  facts: StepFacts,
  scored: readonly ScoredGroup[],
) {
  const { step, groups, learningRate, loss, progress, rollouts, times, totalTokens } = facts;
  const rewards = summarize(rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward])));
  return {
    kind: "step-finished",
    step,
    totalSteps,
    isTotalAtMost: isTotalAtMost(config),
    rewardMean: rewards.mean,
    rewardStd: rewards.std,
    loss,
    trainedGroups: groups.filter(({ excluded }) => excluded === null).length,
    groups: groups.length,
    untrainedTokens: refillCost(config, scored)?.untrained_tokens ?? 0,
    learningRate,
    rolloutS: times.rolloutS,
    trainS: times.trainS,
    totalS: times.totalS,
    sampledTokens: totalTokens.sampled - totals.sampled,
    etaS: progress.etaS,
  } satisfies ProgressEvent;
}
