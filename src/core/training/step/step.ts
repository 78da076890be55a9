/** One training step: rollouts, groups, datums, a policy update, and everything recorded about it. */

import type { Trend } from "../../../shared/trend.ts";
import type { Config } from "../../config/fields/schema.ts";
import type { Clock } from "../../ports.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import { appendMetrics, buildMetricsRow, trainedGroups } from "../../runFolder/metrics/metrics.ts";
import {
  type MetricsRow,
  type MetricsTree,
  mergeMetrics,
} from "../../runFolder/metrics/metricsTree.ts";
import { areEnoughScored } from "../../runFolder/metrics/outcomes.ts";
import { responseTokens } from "../../runFolder/metrics/rolloutMetrics.ts";
import type { StepFacts } from "../../runFolder/metrics/stepFacts.ts";
import type { RolloutScore } from "../../runFolder/rollouts/rolloutStore.ts";
import type { StepPhases } from "../../runFolder/rollouts/stepPhases.ts";
import { usedTotal } from "../../usage/prices.ts";
import type { RunUsage, TokenUsage } from "../../usage/tokenUsage.ts";
import { UsageMeter } from "../../usage/usageMeter.ts";
import { fraction, summarize } from "../../util/stats.ts";
import type { TakenBatch } from "../generation/groupQueue.ts";
import { refillCost } from "../generation/refill.ts";
import type { RunContext } from "../run/context.ts";
import { reportFailure, requireNoInternalErrors } from "../run/failedRollouts.ts";
import { learningRateAt } from "../run/learningRate.ts";
import { meteredContext } from "../run/meteredContext.ts";
import type { ProgressEvent } from "../run/progress.ts";
import { isTotalAtMost } from "../tasks/dataset.ts";
import { adjustAdvantages } from "../update/adjustAdvantages.ts";
import type { TrainingDatum } from "../update/datums.ts";
import {
  leaveOutMasked,
  type ScoredGroup,
  scoreGroups,
  type TrainingBatch,
  trainingBatch,
} from "../update/groups.ts";
import { overlongPenalty } from "../update/overlong.ts";
import { toTokenRecords } from "../update/tokenRecords.ts";
import { type TrainedStep, trainStep } from "../update/trainStep.ts";
import { applyAlarmActions } from "./alarms.ts";
import {
  gatherStepFacts,
  type StepBeginning,
  type StepInput,
  usageAfter,
} from "./gatherStepFacts.ts";

/** Result of a step, whatever its method. */
export interface StepEnd {
  readonly row: MetricsRow;
  /** Weight updates; 0 when nothing was trained. */
  readonly updates: number;
  /** True when `off_policy_correction` left nothing to train on. */
  readonly isMasked: boolean;
  readonly rollouts: readonly FinishedRollout[];
  /** Cursor after the step. */
  readonly cursor: number;
  /** Total over all steps including this one. */
  readonly usage: RunUsage;
  readonly totalS: number;
  /** The run's time including this step. */
  readonly seconds: number;
}

export interface StepOutput extends StepEnd {
  /** Null when nothing was trained. */
  readonly trained: TrainedStep | null;
}

/** A step whose update has been submitted. */
export interface BegunStep {
  readonly step: number;
  readonly batch: TakenBatch;
  readonly groups: readonly ScoredGroup[];
  readonly learningRate: number;
  readonly extra: MetricsTree;
  readonly takenMs: number;
  /** When its update was submitted, or when it was clear that there is none. */
  readonly preparedMs: number;
  /** Data that `off_policy_correction` removed, with the log-probabilities of its forward pass. */
  readonly masked: readonly TrainingDatum[];
  /** Tokens of the step's requests other than rollouts. */
  readonly updateTokens: TokenUsage;
  /** Null when nothing is trained. */
  readonly update: Update | null;
}

interface Update {
  /** Data that was sent, with the final advantages. */
  readonly data: readonly TrainingDatum[];
  readonly submittedMs: number;
  readonly trained: Promise<TrainedUpdate>;
}

interface TrainedUpdate extends TrainedStep {
  readonly overlapFrac: number | null;
}

/**
 * Waits for the rollouts of a step and submits its update. Rejects without submitting anything if a stop is requested first.
 * @throws AppError as {@link GroupQueue.take}; `tinker-*`
 */
export async function beginStep(context: RunContext, input: StepBeginning): Promise<BegunStep> {
  const { config, ports, reporting, storage } = context;
  const { step } = input;
  const batch = await input.take();
  const takenMs = ports.clock.monotonic();
  const { rollouts } = batch;
  // Await before the update: if a stop ends an evaluation, the update must not be left without its row.
  const before = await input.extra;
  await requireNoInternalErrors(reporting, step, rollouts);
  await reportFailure(reporting, step, rollouts);
  const scored = scoreGroups(rollouts, config);
  const learningRate = learningRateAt(config, step, context.totalSteps);
  const untrained = trainingBatch(scored);
  const meter = new UsageMeter();
  const metered = meteredContext(context, meter);
  try {
    const { data, masked, metrics } = await adjustAdvantages(
      metered,
      step,
      untrained.data,
      environmentsOf(scored),
    );
    const groups = leaveOutMasked(scored, masked);
    await storage.store.addScores(step, scores(groups, config));
    const { counted } = untrained;
    const left = { data, counted };
    const update =
      data.length === 0 ? null : await train(metered, input, left, learningRate, batch);
    const updateTokens = meter.usage.used;
    const forward = updateTokens.prefill_cached + updateTokens.prefill_uncached;
    const ofPasses = forward === 0 ? {} : { tokens: { forward } };
    const extra = [metrics, ofPasses].reduce(mergeMetrics, before);
    const preparedMs = update?.submittedMs ?? ports.clock.monotonic();
    const times = { takenMs, preparedMs };
    return { step, batch, groups, learningRate, extra, ...times, masked, updateTokens, update };
  } finally {
    // Count in any case, because the service received these requests.
    storage.usage.add({ for: "update", step, tokens: meter.usage.used });
  }
}

/** The environment in which each datum was sampled. */
function environmentsOf(groups: readonly ScoredGroup[]): (datum: TrainingDatum) => string {
  const names = new Map(
    groups.map(({ facts, rollouts }) => [facts.group, rollouts[0]?.rollout.record.environment]),
  );
  return ({ group }) => names.get(group) ?? "";
}

/** Waits for a step's update, records its results, and appends its row. */
export async function recordStep(
  context: RunContext,
  input: StepInput,
  begun: BegunStep,
): Promise<StepOutput> {
  const { step, batch, groups, learningRate, extra, takenMs, preparedMs, masked, update } = begun;
  const { reporting, storage } = context;
  const { clock } = context.ports;
  const trained = (await update?.trained) ?? null;
  const data = update?.data ?? [];
  if (trained !== null) {
    await storage.store.addTokens(step, toTokenRecords(data, trained.logprobs));
  }
  const { rollouts, pausedMs } = batch;
  // A step that began while the previous one trained used none of the time up to its end.
  const secondsFrom = (ms: number, untilMs: number) =>
    Math.max(0, untilMs - Math.max(ms, input.fromMs)) / 1000;
  const totalS = secondsFrom(input.fromMs + pausedMs, clock.monotonic());
  const updatedMs = trained === null ? preparedMs : updatedAt(trained);
  const times = {
    rolloutS: secondsFrom(input.fromMs + pausedMs, takenMs),
    prepareS: secondsFrom(takenMs, preparedMs),
    trainS: trained === null ? null : secondsFrom(preparedMs, updatedMs),
    samplerS: trained === null ? null : secondsFrom(updatedMs, trained.endedMs),
    totalS,
  };
  await storage.store.addPhases(step, phasesOf(input, begun, trained, clock));
  const seconds = input.secondsUntilNow();
  const usage = usageAfter(input.usage, begun);
  const facts = gatherStepFacts(context, input, {
    ...batch,
    groups,
    data,
    masked,
    learningRate,
    trained,
    times,
    usage,
    seconds,
    overlapFrac: trained?.overlapFrac ?? null,
    extra,
  });
  // Do not await in between: the row's totals cover exactly what precedes this line in the log.
  storage.usage.add({ for: "row", step, seconds });
  const judged = await input.alarms.evaluate(context, buildMetricsRow(facts));
  await appendMetrics(storage.fileSystem, storage.folder, judged.row);
  const finished = finishedEvent(context, facts, groups, judged.trend);
  reporting.watch(finished);
  applyAlarmActions(context, judged);
  const { cursor } = facts.progress;
  return {
    row: judged.row,
    trained,
    updates: trained?.substeps ?? 0,
    isMasked: update === null && masked.length > 0,
    rollouts,
    cursor,
    usage,
    totalS,
    seconds,
  };
}

/** Monotonic time when the update results arrived; the sampler comes after them. */
function updatedAt({ endedMs, samplerS }: TrainedStep): number {
  return endedMs - 1000 * samplerS;
}

/** When each part of the step ended, clamped to its start for a step that began early. */
function phasesOf(
  { fromMs }: StepInput,
  { batch, takenMs, update }: BegunStep,
  trained: TrainedStep | null,
  clock: Clock,
): StepPhases {
  const nowMs = clock.monotonic();
  const after = (ms: number): number => Math.max(0, Math.round(ms - fromMs));
  return {
    startedAtMs: Math.round(clock.now() - (nowMs - fromMs)),
    takenMs: after(takenMs),
    pausedMs: Math.round(batch.pausedMs),
    submittedMs: update === null ? null : after(update.submittedMs),
    trainedMs: trained === null ? null : after(updatedAt(trained)),
    savedMs: trained === null ? null : after(trained.endedMs),
    endedMs: after(nowMs),
  };
}

function scores(groups: readonly ScoredGroup[], config: Config): readonly RolloutScore[] {
  return groups.flatMap(({ rollouts }) =>
    rollouts.map(({ rollout, advantage, turnAdvantages, trainingUse }) => {
      const penalty = rollout.record.reward === null ? 0 : overlongPenalty(rollout, config);
      return {
        group: rollout.record.group,
        rollout: rollout.record.rollout,
        advantage,
        turnAdvantages,
        trainingUse,
        penalty: penalty > 0 ? penalty : undefined,
      };
    }),
  );
}

async function train(
  context: RunContext,
  { step, saveSampler }: StepBeginning,
  batch: TrainingBatch,
  learningRate: number,
  { busyMs }: TakenBatch,
): Promise<Update> {
  const { config, control, ports, services } = context;
  const { clock } = ports;
  control.withdrawSave();
  const { sha256 } = ports;
  const service = { client: services.client, clock, saveSampler, step, sha256 };
  const submittedMs = clock.monotonic();
  const busyFromMs = busyMs();
  const submitted = await trainStep(service, batch, config, learningRate);
  const trained = submitted.trained.then((step) => {
    const overlapFrac = fraction(busyMs() - busyFromMs, step.endedMs - submittedMs);
    return { ...step, overlapFrac };
  });
  // Awaited when the step is recorded; until then a failure must not count as an unhandled rejection.
  trained.catch(() => undefined);
  return { data: batch.data, submittedMs, trained };
}

function finishedEvent(
  { config, totalSteps }: RunContext,
  facts: StepFacts,
  scored: readonly ScoredGroup[],
  trend: Trend,
) {
  const { step, groups, learningRate, loss, progress, rollouts, times, usage } = facts;
  const rewards = summarize(rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward])));
  return {
    kind: "step-finished",
    step,
    totalSteps,
    isTotalAtMost: isTotalAtMost(config),
    rewardMean: rewards.mean,
    decidingReward: areEnoughScored(rewards.count, rollouts.length) ? rewards.mean : null,
    trend,
    loss,
    trainedGroups: trainedGroups(facts),
    groups: groups.length,
    failedAgents: rollouts.filter(({ agentFailed }) => agentFailed).length,
    crashed: rollouts.filter(({ stop }) => stop === "tool_crashed").length,
    untrainedTokens: refillCost(config, scored)?.untrained_tokens ?? 0,
    learningRate,
    rolloutS: times.rolloutS,
    trainS: times.trainS,
    totalS: times.totalS,
    sampledTokens: rollouts.reduce((sum, rollout) => sum + responseTokens(rollout), 0),
    etaS: progress.etaS,
    used: usedTotal(usage.total, usage.prices),
  } satisfies ProgressEvent;
}
