/** One step of training: rollouts, groups, datums, an update, and everything written down about it. */

import { lossParameters } from "../config/lossDefaults.ts";
import type { Config } from "../config/schema.ts";
import type { FinishedRollout, RolloutTask } from "../rollout/rollout.ts";
import { rolloutSeed } from "../rollout/seeds.ts";
import type { ClipBounds } from "../runFolder/divergence.ts";
import { appendMetrics, buildMetricsRow, metricNames } from "../runFolder/metrics.ts";
import { type MetricsRow, type MetricsTree, mergeMetrics } from "../runFolder/metricsTree.ts";
import type { StepFacts, TokenCounts } from "../runFolder/stepFacts.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { summarize } from "../util/stats.ts";
import { applyAlarmActions, type RunAlarms } from "./alarms.ts";
import { requestedSessions } from "./availabilityMessages.ts";
import { collectRollouts } from "./collectRollouts.ts";
import { type RunContext, SUCCESS_REWARD } from "./context.ts";
import { type TaskItem, taskKeyOf } from "./dataset.ts";
import type { TrainingDatum } from "./datums.ts";
import { pauseAtFailure } from "./groupFailurePolicy.ts";
import { type ScoredGroup, scoreGroups, trainingBatch } from "./groups.ts";
import { healthMetrics } from "./healthMetrics.ts";
import { requireNoInternalErrors } from "./internalErrors.ts";
import { report } from "./report.ts";
import { learningRateAt } from "./schedule.ts";
import { toTokenRecord } from "./tokenRecords.ts";
import { type TrainedStep, trainStep } from "./trainStep.ts";

export interface StepInput {
  readonly step: number;
  readonly items: readonly TaskItem[];
  readonly sampler: SamplingClient;
  /** Position after this step. */
  readonly cursor: number;
  /** Updates made before it. */
  readonly optimizerUpdates: number;
  readonly totals: TokenCounts;
  /** Seconds of recent steps of this attempt. */
  readonly elapsedS: readonly number[];
  /** Metrics that go into this step's row, for example of an evaluation before it. */
  readonly extra: MetricsTree;
  readonly alarms: RunAlarms;
}

export interface StepOutput {
  readonly row: MetricsRow;
  /** Null when nothing was trained. */
  readonly trained: TrainedStep | null;
  readonly rollouts: readonly FinishedRollout[];
  readonly rewardMean: number | null;
  readonly totals: TokenCounts;
  readonly totalS: number;
}

/** Runs one step and appends its row. Rejects, with nothing trained, when the run is asked to stop before the update. */
export async function runStep(context: RunContext, input: StepInput): Promise<StepOutput> {
  const { clock, config, store, watch } = context;
  const { step } = input;
  const started = clock.monotonic();
  let waitedMs = 0;
  const rollouts = await collect(context, input, (ms) => {
    waitedMs = ms;
  });
  const rolloutS = (clock.monotonic() - started - waitedMs) / 1000;
  await requireNoInternalErrors(context, step, rollouts);
  await reportFailure(context, step, rollouts);
  const groups = scoreGroups(rollouts, config);
  await store.addScores(step, scores(groups));
  const batch = trainingBatch(groups);
  const { data } = batch;
  const learningRate = learningRateAt(config, step, context.totalSteps);
  const trainStarted = clock.monotonic();
  let trained: TrainedStep | null = null;
  if (data.length > 0) {
    const tokens = data.reduce((sum, datum) => sum + datum.tokens.length, 0);
    watch({ kind: "training", step, datums: data.length, tokens });
    context.control.withdrawSave();
    trained = await trainStep(context, batch, config, learningRate);
    await store.addTokens(step, tokenRecords(data, trained));
  }
  const trainS = trained === null ? null : (clock.monotonic() - trainStarted) / 1000;
  const totalS = (clock.monotonic() - started - waitedMs) / 1000;
  const totals = addTotals(input.totals, rollouts, data);
  const times = { rolloutS, trainS, samplerS: trained?.samplerS ?? null, saveS: null, totalS };
  const bare = buildMetricsRow({
    ...stepFacts(context, input, { rollouts, groups, data, trained, times, totals }),
    learningRate,
  });
  const judged = await input.alarms.evaluate(context, bare);
  await appendMetrics(context.fileSystem, context.folder, judged.row);
  const rewards = summarize(rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward])));
  watch({
    kind: "step-finished",
    step,
    totalSteps: context.totalSteps,
    rewardMean: rewards.mean,
    rewardStd: rewards.std,
    loss: trained?.loss ?? null,
    trainedGroups: groups.filter(({ facts }) => facts.excluded === null).length,
    groups: groups.length,
    learningRate,
    rolloutS,
    trainS,
    totalS,
    sampledTokens: totals.sampled - input.totals.sampled,
    etaS: remainingS(context, input, totalS),
  });
  applyAlarmActions(context, judged);
  return { row: judged.row, trained, rollouts, rewardMean: rewards.mean, totals, totalS };
}

async function collect(
  context: RunContext,
  input: StepInput,
  onWaited: (waitedMs: number) => void,
): Promise<readonly FinishedRollout[]> {
  const { config, sha256, store, watch } = context;
  const { step } = input;
  const tasks = input.items.flatMap((item, group) => groupTasks(config, item, group, step));
  watch({ kind: "step-started", step, rollouts: tasks.length });
  let done = 0;
  return collectRollouts(context, tasks, {
    onWaited,
    sampler: input.sampler,
    seedOf: (task, attempt, turn) => rolloutSeed(sha256, config.seed, task, attempt, turn),
    onFinished: async (rollout) => {
      await store.addRollout(rollout.record);
      done += 1;
      watch({
        kind: "rollout-finished",
        step,
        done,
        rollouts: tasks.length,
        reward: rollout.reward,
        sampledTokens: sampledTokens(rollout),
      });
      await pauseAtFailure(context, rollout);
    },
  });
}

function groupTasks(config: Config, item: TaskItem, group: number, step: number): RolloutTask[] {
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

/** Warns when all rollouts of a step failed, with the first error. */
async function reportFailure(
  context: RunContext,
  step: number,
  rollouts: readonly FinishedRollout[],
): Promise<void> {
  const errors = rollouts.flatMap(({ record }) => record.error ?? []);
  const [first] = errors;
  if (first === undefined || errors.length < rollouts.length) return;
  const message = `step ${step + 1}: all ${rollouts.length} rollouts failed. The first: ${first}`;
  await report(context, { step, level: "warn", kind: "rollouts-failed", message });
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

function tokenRecords(data: readonly TrainingDatum[], trained: TrainedStep) {
  return data.map((datum, i) => toTokenRecord(datum, trained.logprobs[i] ?? null));
}

function sampledTokens({ facts }: FinishedRollout): number {
  return facts.turns.reduce((sum, turn) => sum + turn.sampledTokens, 0);
}

function addTotals(
  before: TokenCounts,
  rollouts: readonly FinishedRollout[],
  data: readonly TrainingDatum[],
): TokenCounts {
  return {
    sampled: before.sampled + rollouts.reduce((sum, rollout) => sum + sampledTokens(rollout), 0),
    prefill: before.prefill + rollouts.reduce((sum, { facts }) => sum + facts.prefillTokens, 0),
    trained: before.trained + data.reduce((sum, datum) => sum + datum.tokens.length, 0),
  };
}

interface StepResults {
  readonly rollouts: readonly FinishedRollout[];
  readonly groups: readonly ScoredGroup[];
  readonly data: readonly TrainingDatum[];
  readonly trained: TrainedStep | null;
  readonly times: StepFacts["times"];
  readonly totals: TokenCounts;
}

function stepFacts(
  context: RunContext,
  input: StepInput,
  results: StepResults,
): Omit<StepFacts, "learningRate"> {
  const { trained, totals, times, data } = results;
  const { config, sequence, totalSteps, attempt } = context;
  const scored = results.groups.flatMap(({ rollouts }) => rollouts);
  return {
    step: input.step,
    progress: {
      epoch: Math.floor(input.cursor / sequence.epochLength),
      cursor: input.cursor,
      doneFraction: totalSteps === null ? null : (input.step + 1) / totalSteps,
      etaS: remainingS(context, input, times.totalS),
      optimizerUpdates: input.optimizerUpdates + (trained?.substeps ?? 0),
      attempt,
    },
    environments: Object.keys(config.environments),
    successReward: SUCCESS_REWARD,
    loss: trained?.loss ?? null,
    serverMetrics: trained?.serverMetrics ?? {},
    substeps: trained?.substeps ?? 0,
    groups: results.groups.map(({ facts }) => facts),
    rollouts: scored.map(({ rollout, advantage }) => ({
      ...rollout.facts,
      advantage,
      isIncluded: advantage !== null,
    })),
    datums: data.map((datum, i) => ({
      samplerLogprobs: datum.logprobs,
      trainerLogprobs: trained?.logprobs[i] ?? null,
      mask: datum.mask,
      advantages: datum.advantages,
    })),
    clip: clipBounds(config),
    times,
    totalTokens: totals,
    extra: mergeMetrics(
      mergeMetrics(input.extra, capacityMetrics(context)),
      healthMetrics({
        rollouts: results.rollouts,
        samplerAge: input.alarms.samplerAge(input.sampler.samplerId, input.optimizerUpdates),
        lagMs: context.lagMs?.() ?? null,
      }),
    ),
  };
}

/** Metrics about environments that were full or failed; none for environments that always worked. */
function capacityMetrics({ config, environments }: RunContext): MetricsTree {
  const nameOf = metricNames([...environments.keys()]);
  const entries = [...environments].flatMap(([name, { gate }]) => {
    const { rejections, waitS, failures } = gate.stats;
    if (rejections + failures === 0) return [];
    const limit = Math.min(gate.stats.limit, requestedSessions(config, name));
    return [[nameOf.get(name) ?? name, { limit, rejections, wait_s: waitS, failures }] as const];
  });
  return entries.length === 0 ? {} : { capacity: Object.fromEntries(entries) };
}

/** The bounds that count as clipping in the metrics. */
function clipBounds(config: Config): ClipBounds | null {
  const { clip_low_threshold: low, clip_high_threshold: high } = lossParameters(config);
  return low === undefined || high === undefined ? null : { low, high };
}

function remainingS(context: RunContext, input: StepInput, totalS: number): number | null {
  if (context.totalSteps === null) return null;
  const steps = [...input.elapsedS, totalS];
  const perStep = steps.reduce((sum, seconds) => sum + seconds, 0) / steps.length;
  return perStep * (context.totalSteps - input.step - 1);
}
