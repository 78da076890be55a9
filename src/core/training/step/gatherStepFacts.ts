/** Gathers what a step's metrics are computed from: its rollouts, groups and update. */

import { successReward } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import { type LossName, lossParameters } from "../../config/rules/lossDefaults.ts";
import { environmentConfig } from "../../config/taskChoices.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import {
  type ClipBounds,
  type DatumTokens,
  divergenceMetrics,
} from "../../runFolder/metrics/divergence.ts";
import { metricNames } from "../../runFolder/metrics/metrics.ts";
import { type MetricsTree, mergeMetrics } from "../../runFolder/metrics/metricsTree.ts";
import type { StepFacts, StepTimes } from "../../runFolder/metrics/stepFacts.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import {
  addTokens,
  type RunUsage,
  subtractTokens,
  type TokenUsage,
} from "../../usage/tokenUsage.ts";
import { fraction } from "../../util/stats.ts";
import type { TakenBatch } from "../generation/groupQueue.ts";
import { refillCost } from "../generation/refill.ts";
import { budgetShares } from "../run/budgets.ts";
import { pricesOf, type RunContext } from "../run/context.ts";
import { requestedSessions } from "../run/outages.ts";
import { sampledTokens } from "../run/stepProgress.ts";
import { doneFractionOf } from "../tasks/dataset.ts";
import type { TrainingDatum } from "../update/datums.ts";
import type { ScoredGroup } from "../update/groups.ts";
import { healthMetrics } from "../update/healthMetrics.ts";
import { rolloutKey } from "../update/lossNormalization.ts";
import { isOverlong } from "../update/overlong.ts";
import { staleness, stalenessMetrics } from "../update/staleness.ts";
import type { TrainedStep } from "../update/trainStep.ts";
import type { StepAlarms } from "./alarms.ts";

/** Inputs needed to begin a step. */
export interface StepBeginning {
  readonly step: number;
  /** Waits for the step's rollouts. */
  readonly take: () => Promise<TakenBatch>;
  /** Submits a save of the weights after this step for sampling. */
  readonly saveSampler: () => Promise<SamplingClient>;
  /** Further metrics for this step's row, for example of an evaluation before it. */
  readonly extra: MetricsTree | Promise<MetricsTree>;
}

/** Inputs known once the previous steps are completed. */
export interface StepInput {
  readonly step: number;
  /** Monotonic time when the previous steps were completed. */
  readonly fromMs: number;
  /** Cursor before this step. */
  readonly cursor: number;
  /** Updates made before this step. */
  readonly optimizerUpdates: number;
  /** Total over all earlier steps. */
  readonly usage: RunUsage;
  /** The run's time so far, without pauses. */
  readonly secondsUntilNow: () => number;
  /** Durations of recent steps of this attempt in seconds. */
  readonly elapsedS: readonly number[];
  readonly alarms: StepAlarms;
}

/** Results of a step. */
interface StepResults extends TakenBatch {
  readonly groups: readonly ScoredGroup[];
  /** Data that was sent. */
  readonly data: readonly TrainingDatum[];
  /** Data that `off_policy_correction` removed, with the log-probabilities of its forward pass. */
  readonly masked: readonly TrainingDatum[];
  readonly learningRate: number;
  /** Total over all steps including this one. */
  readonly usage: RunUsage;
  /** Null when nothing was trained. */
  readonly trained: TrainedStep | null;
  readonly times: StepTimes;
  /** The run's time including this step. */
  readonly seconds: number;
  /** Share of the training time in which rollouts of later steps were playing. */
  readonly overlapFrac: number | null;
  readonly extra: MetricsTree;
}

export function gatherStepFacts(
  context: RunContext,
  input: StepInput,
  results: StepResults,
): StepFacts {
  const usage = stepUsage(context, input.usage, results.usage);
  const budget = budgetMetrics(context, usage, results.seconds);
  const { trained, times, data, masked, learningRate, seconds } = results;
  const { config, reporting } = context;
  const { redactor } = reporting;
  const sent = new Set(data.map(rolloutKey));
  const scored = results.groups.flatMap(({ rollouts }) => rollouts);
  return {
    step: input.step,
    progress: progressOf(context, input, {
      taken: results.policies.length,
      updates: trained?.substeps ?? 0,
      totalS: times.totalS,
      seconds,
    }),
    environments: Object.keys(config.environments),
    // Which groups `refill` replaces depends on their rewards.
    hasFixedMix: config.mix === "weighted" && !config.refill,
    learningRate,
    loss: trained?.loss ?? null,
    serverMetrics: trained?.serverMetrics ?? {},
    substeps: trained?.substeps ?? 0,
    groups: results.groups.map(({ facts }) => facts),
    rollouts: scored.map(({ rollout, advantage }) => ({
      ...rollout.facts,
      reward: rollout.record.reward,
      // The model wrote the names, and metrics are named after them.
      tools: rollout.facts.tools.map((tool) => ({ ...tool, name: redactor.redact(tool.name) })),
      advantage,
      isIncluded: advantage !== null,
      isSent: sent.has(rolloutKey(rollout.record)),
      successReward: successReward(environmentConfig(config, rollout.record.environment)),
    })),
    datums: data.map((datum, i) => tokensOf(datum, trained?.logprobs[i], config)),
    masked: masked.map(({ logprobs, trainerLogprobs = null, mask }) => ({
      samplerLogprobs: logprobs,
      trainerLogprobs,
      mask,
    })),
    clip: clipBounds(config),
    times,
    usage,
    extra: [furtherMetrics(context, input, results), passMetrics(context, input, results)].reduce(
      mergeMetrics,
      budget,
    ),
  };
}

/** `logprobs` are the trainer's. */
function tokensOf(
  datum: TrainingDatum,
  logprobs: Float32Array | undefined,
  { loss_fn: loss }: Pick<Config, "loss_fn">,
): DatumTokens {
  return {
    samplerLogprobs: datum.logprobs,
    trainerLogprobs: logprobs ?? null,
    mask: datum.mask,
    get advantages() {
      return datum.advantages;
    },
    lossRatios: lossRatios(datum, logprobs, loss),
  };
}

/** What a step has done. */
interface StepDone {
  /** Items taken from the task sequence. */
  readonly taken: number;
  /** Weight updates. */
  readonly updates: number;
  readonly totalS: number;
  /** The run's time including this step. */
  readonly seconds: number;
}

export function progressOf(
  context: RunContext,
  input: Pick<StepInput, "step" | "cursor" | "elapsedS" | "optimizerUpdates">,
  { taken, updates, totalS, seconds }: StepDone,
): StepFacts["progress"] {
  const { sequence, storage } = context;
  const { elapsedS, optimizerUpdates, step } = input;
  const durations = [...elapsedS, totalS];
  const meanS = durations.reduce((sum, seconds) => sum + seconds, 0) / durations.length;
  const cursor = input.cursor + taken;
  const doneFraction = doneFractionOf(context, { step: step + 1, cursor });
  return {
    epoch: Math.floor(cursor / sequence.epochLength),
    cursor,
    doneFraction,
    etaS: doneFraction === null ? null : meanS * stepsLeft(context, step + 1, doneFraction),
    elapsedS: seconds,
    optimizerUpdates: optimizerUpdates + updates,
    attempt: storage.attempt,
  };
}

/**
 * To the end, or to a `stop_at_step` before it. With `refill`, extrapolated from the data used per step so far, because the data decides
 * how many steps remain.
 */
function stepsLeft(
  { config, totalSteps }: RunContext,
  completed: number,
  doneFraction: number,
): number {
  const planned = totalSteps ?? Number.POSITIVE_INFINITY;
  const left = (config.refill ? completed / doneFraction : planned) - completed;
  const untilStop = (config.stop_at_step ?? Number.POSITIVE_INFINITY) - completed;
  // A resume goes on beyond the step of a stop.
  return untilStop < 0 ? left : Math.min(left, untilStop);
}

/**
 * Token use of all steps including this one, and the discarded part: all tokens of an untrained rollout, and those of repeated attempts
 * of a trained one.
 */
export function usageAfter(
  before: RunUsage,
  {
    groups,
    updateTokens,
  }: { readonly groups: readonly ScoredGroup[]; readonly updateTokens: TokenUsage },
): RunUsage {
  let cumulative = addTokens(before.cumulative, updateTokens);
  let { discarded } = before;
  for (const { advantage, rollout } of groups.flatMap(({ rollouts }) => rollouts)) {
    const { usage } = rollout.facts;
    cumulative = addTokens(cumulative, usage.used);
    discarded = addTokens(discarded, advantage === null ? usage.used : usage.discarded);
  }
  return { ...before, cumulative, discarded };
}

/** Totals are from the usage log and include rollouts sampled ahead; `before` and `after` are totals of the steps only. */
export function stepUsage(
  context: RunContext,
  before: RunUsage,
  after: RunUsage,
): StepFacts["usage"] {
  const { cumulative, evaluation } = context.storage.usage;
  const step = subtractTokens(after.cumulative, before.cumulative);
  return {
    step,
    total: { cumulative, discarded: after.discarded, evaluation },
    prices: pricesOf(context),
  };
}

export function budgetMetrics(
  { config }: RunContext,
  { total, prices }: StepFacts["usage"],
  seconds: number,
): MetricsTree {
  const shares = budgetShares(config, { usage: total, prices, seconds });
  return Object.keys(shares).length === 0 ? {} : { budget: { ...shares } };
}

function furtherMetrics(
  context: RunContext,
  { optimizerUpdates }: StepInput,
  results: StepResults,
): MetricsTree {
  const { rollouts, policies, extra } = results;
  const health = healthMetrics({
    rollouts,
    staleness: staleness(policies, optimizerUpdates),
    lagMs: context.ports.takeLagMs?.() ?? null,
  });
  const ahead =
    context.config.max_steps_off_policy === 0
      ? {}
      : mergeMetrics(stalenessMetrics(policies, optimizerUpdates), aheadMetrics(results));
  return [
    capacityMetrics(context),
    overlongMetrics(context.config, rollouts),
    refillMetrics(context.config, results.groups),
    health,
    ahead,
  ].reduce(mergeMetrics, extra);
}

/**
 * How far groups are sampled ahead. `queue_depth` counts groups issued before the step's update and not trained, including its own;
 * `queue_ready` counts those that had finished when the step asked for its groups.
 */
function aheadMetrics({
  rollouts,
  depth,
  ready,
  times: { rolloutS, totalS },
  overlapFrac,
}: StepResults): MetricsTree {
  const sampled = rollouts.reduce((sum, rollout) => sum + sampledTokens(rollout), 0);
  return {
    async: {
      queue_depth: depth(),
      queue_ready: ready,
      wait_for_batch_s: rolloutS,
    },
    time: { overlap_frac: overlapFrac },
    // Sampling continues during the whole step, not only while the step waits for groups.
    throughput: { sampled_tok_s: fraction(sampled, totalS) },
  };
}

/**
 * With several passes: how far the policy had moved from its samplers at the start of each datum's last update, and how many updates had
 * been made by then since the oldest group was sampled.
 */
function passMetrics(
  { config }: RunContext,
  { optimizerUpdates }: StepInput,
  { data, policies, trained }: StepResults,
): MetricsTree {
  const last = trained?.lastLogprobs ?? null;
  if (trained === null || last === null) return {};
  const datums = data.map((datum, i) => tokensOf(datum, last[i], config));
  const oldest = Math.max(...staleness(policies, optimizerUpdates));
  return {
    optim: {
      num_passes: config.num_passes,
      last_pass: divergenceMetrics(datums, [], clipBounds(config)),
    },
    async: { staleness: { last_update: oldest + trained.substeps - 1 } },
  };
}

/** Share of overlong rollouts, if the configuration treats them specially. */
function overlongMetrics(config: Config, rollouts: readonly FinishedRollout[]): MetricsTree {
  if (config.overlong === "train") return {};
  const overlong_frac = fraction(rollouts.filter(isOverlong).length, rollouts.length);
  return { rollout: { overlong_frac } };
}

function refillMetrics(config: Config, groups: readonly ScoredGroup[]): MetricsTree {
  const cost = refillCost(config, groups);
  return cost === null ? {} : { refill: { ...cost } };
}

/** Metrics of environments that were full or failed; none for those that always worked. */
function capacityMetrics({ config, services: { environments } }: RunContext): MetricsTree {
  const nameOf = metricNames([...environments.keys()]);
  const entries = [...environments].flatMap(([name, { gate }]) => {
    const { rejections, waitS, failures } = gate.stats;
    if (rejections + failures === 0) return [];
    const limit = Math.min(gate.stats.limit, requestedSessions(config, name));
    return [[nameOf.get(name) ?? name, { limit, rejections, wait_s: waitS, failures }] as const];
  });
  return entries.length === 0 ? {} : { capacity: Object.fromEntries(entries) };
}

/** The bounds that count as clipping in metrics. */
function clipBounds(config: Config): ClipBounds | null {
  const { clip_low_threshold: low, clip_high_threshold: high } = lossParameters(config);
  if (low === undefined || high === undefined) return null;
  return { low, high, cuts: config.loss_fn === "cispo" ? "weight" : "gradient" };
}

/**
 * Per target, the ratio of the trainer's probability to the one that the loss starts from; with `gspo`, the geometric mean over the
 * datum's trained tokens. Undefined when the ratios are simply trainer to sampler.
 */
export function lossRatios(
  { logprobs, oldLogprobs, mask }: TrainingDatum,
  trainer: Float32Array | undefined,
  loss: LossName,
): Float64Array | undefined {
  const isOfSequence = loss === "gspo";
  if (trainer === undefined || (oldLogprobs === undefined && !isOfSequence)) return undefined;
  const start = oldLogprobs ?? logprobs;
  const differences = Float64Array.from(trainer, (p, i) => p - (start[i] ?? 0));
  if (!isOfSequence) return differences.map(Math.exp);
  const trained = differences.filter((_, i) => mask[i] === 1);
  const mean = trained.reduce((total, difference) => total + difference, 0) / trained.length;
  return differences.fill(Math.exp(mean));
}
