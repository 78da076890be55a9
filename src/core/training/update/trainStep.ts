/**
 * The policy updates of one step on the service; everything is submitted before anything is awaited. `loss_fn` is the policy loss:
 * `importance_sampling`, `ppo` (clipped, arXiv:1707.06347), `cispo` (Chen et al. 2025, arXiv:2506.13585), `dro`, `gspo` (Zheng et al.
 * 2025, arXiv:2507.18071), or `stable_reinforce`, which only the service knows. With one substep and one pass the update is on-policy;
 * from the second update on, ratios differ from 1.
 */

import { groupBy } from "../../../shared/groupBy.ts";
import { sum } from "../../../shared/mean.ts";
import type { Config } from "../../config/fields/schema.ts";
import { lossParameters } from "../../config/rules/lossDefaults.ts";
import { AppError, isAppError } from "../../errors.ts";
import type { Clock, Sha256 } from "../../ports.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { TrainingClient } from "../../tinker/trainingClient.ts";
import { withoutNextStep } from "../../tinker/transport/errors.ts";
import type { DatumOutput, ForwardBackwardResult } from "../../tinker/wire/forwardBackwardProto.ts";
import { isGradientNorm, isLoss, lossMetrics } from "../../tinker/wire/metricNames.ts";
import type { AdamParams } from "../../tinker/wire/wire.ts";
import { splitSubsteps, type TrainingDatum, toWireDatum } from "./datums.ts";
import type { TrainingBatch } from "./groups.ts";
import { lossFactors } from "./lossNormalization.ts";
import { requireFinite, trainerLogprobs } from "./trainerLogprobs.ts";

type ServerMetrics = Readonly<Record<string, number>>;

export interface TrainedStep {
  /** Log-probabilities of each datum's targets before its update in the first pass, in data order. */
  readonly logprobs: readonly Float32Array[];
  /** The same in the last pass; null if there is only one. */
  readonly lastLogprobs: readonly Float32Array[] | null;
  /**
   * The service's loss metric, preferably `loss:sum`, or else the sum of all token losses; summed over substeps, averaged over passes.
   * Null when the service reports neither.
   */
  readonly loss: number | null;
  readonly serverMetrics: ServerMetrics;
  /** Updates over all passes. */
  readonly substeps: number;
  /** Seconds between the training results and the sampler. */
  readonly samplerS: number;
  /** Monotonic time when the sampler was ready. */
  readonly endedMs: number;
  /** Samples with the weights after the step. */
  readonly sampler: SamplingClient;
}

type OptimizerConfig = Pick<
  Config,
  "adam_beta1" | "adam_beta2" | "adam_eps" | "weight_decay" | "grad_clip_norm"
>;

type StepConfig = OptimizerConfig &
  Pick<
    Config,
    | "loss_fn"
    | "loss_fn_config"
    | "loss_normalization"
    | "max_response_tokens"
    | "num_passes"
    | "num_substeps"
    | "seed"
  >;

/** Updates in the service's queue. */
interface SubmittedUpdates {
  /** @throws AppError `training-not-finite` when loss or log-probs are not numbers; `tinker-*` */
  readonly trained: Promise<TrainedStep>;
}

interface TrainStepOptions extends PassOrder {
  readonly client: TrainingClient;
  readonly clock: Clock;
  /** Submits a save of the current weights for sampling. */
  readonly saveSampler: () => Promise<SamplingClient>;
}

/**
 * Submits forward_backward and optim_step for each substep of each pass, then the sampler save, and resolves without awaiting them: the
 * service works in cycles, and a call that misses one costs a whole cycle: `docs/protocols/tinker.md#optim_step`.
 * @throws AppError `tinker-*`
 */
export async function trainStep(
  { client, clock, saveSampler, ...order }: TrainStepOptions,
  batch: TrainingBatch,
  config: StepConfig,
  learningRate: number,
): Promise<SubmittedUpdates> {
  const parts = passesOf(batch, config, order).flatMap((own, pass) =>
    splitBatch(own, config.num_substeps).map((part) => ({ ...part, pass })),
  );
  const pending: SubmittedUpdate[] = [];
  for (const { data, counted, pass } of parts) {
    const factors = lossFactors(data, counted, config);
    const wire =
      config.loss_fn === "dro"
        ? await withOwnLogprobs(client, data, pending.length === 0)
        : data.map((datum, i) => toWireDatum(datum, config.loss_fn, factors[i]));
    const forwardBackward = client
      .forwardBackward(wire, config.loss_fn, lossParameters(config))
      .catch((error: unknown) => {
        throw config.loss_fn === "stable_reinforce" ? refusedSequences(error) : error;
      });
    const optimStep = client.optimStep(optimizerParameters(config, learningRate));
    const results = Promise.all([forwardBackward, optimStep]);
    // Awaited below; until then a failure must not count as an unhandled rejection.
    results.catch(() => undefined);
    pending.push({ data, pass, results });
  }
  const nextSampler = saveSampler();
  nextSampler.catch(() => undefined);
  const trained = resultsOf(pending, batch.data, nextSampler, clock);
  trained.catch(() => undefined);
  return { trained };
}

/** Adds the likely cause when the service refuses data for `stable_reinforce`; returns other errors unchanged. */
function refusedSequences(error: unknown): unknown {
  if (!isAppError(error, "tinker-bad-request", "tinker-request-failed")) return error;
  const { code, data } = error;
  const step =
    "loss_fn: stable_reinforce trains only on samples that its session made or trained on within the last day. If a pause took longer, resume the run, which samples again; otherwise resume it with another loss_fn.";
  return new AppError(code, `${withoutNextStep(error)} ${step}`, { data, cause: error });
}

/** Adam's parameters for one update. */
export function optimizerParameters(config: OptimizerConfig, learningRate: number): AdamParams {
  return {
    learning_rate: learningRate,
    beta1: config.adam_beta1,
    beta2: config.adam_beta2,
    eps: config.adam_eps,
    weight_decay: config.weight_decay,
    grad_clip_norm: config.grad_clip_norm,
  };
}

/** Results of one policy update. */
type UpdateResults = readonly [ForwardBackwardResult, { readonly metrics: ServerMetrics }];

interface SubmittedUpdate {
  readonly data: readonly TrainingDatum[];
  readonly pass: number;
  readonly results: Promise<UpdateResults>;
}

async function resultsOf(
  pending: readonly SubmittedUpdate[],
  data: readonly TrainingDatum[],
  nextSampler: Promise<SamplingClient>,
  clock: Clock,
): Promise<TrainedStep> {
  const results = await Promise.all(pending.map((update) => update.results));
  const trainedAt = clock.monotonic();
  const sampler = await nextSampler;
  const samplerS = (clock.monotonic() - trainedAt) / 1000;
  const metrics = results.flatMap(([backward, optim]) => [backward.metrics, optim.metrics]);
  const passes = 1 + (pending.at(-1)?.pass ?? 0);
  const serverMetrics = mergeMetrics(metrics, passes);
  const outputs = results.flatMap(([backward]) => backward.outputs);
  const loss = serverMetrics[lossMetrics(serverMetrics)[0] ?? ""] ?? meanLoss(outputs, passes);
  requireFinite(
    loss,
    outputs.map((output) => output.logprobs),
  );
  const logprobsOf = (pass: number): readonly Float32Array[] => {
    const known = new Map<TrainingDatum, Float32Array>();
    for (const [u, update] of pending.entries()) {
      const own = update.pass === pass ? results[u]?.[0].outputs : [];
      for (const [d, { logprobs }] of own?.entries() ?? []) {
        const datum = update.data[d];
        if (datum !== undefined) known.set(datum, logprobs);
      }
    }
    return data.map((datum) => known.get(datum) ?? new Float32Array());
  };
  return {
    logprobs: logprobsOf(0),
    lastLogprobs: passes === 1 ? null : logprobsOf(passes - 1),
    loss,
    serverMetrics,
    substeps: pending.length,
    samplerS,
    endedMs: clock.monotonic(),
    sampler,
  };
}

/** Assigns a group with nothing to send to the update of the group before it, or to the first update. */
function splitBatch({ data, counted }: TrainingBatch, count: number): readonly TrainingBatch[] {
  const parts = splitSubsteps(data, count);
  const partOf = new Map(parts.flatMap((part, i) => part.map(({ group }) => [group, i] as const)));
  let current = 0;
  const places = counted.map(({ group }) => {
    current = partOf.get(group) ?? current;
    return current;
  });
  return parts.map((part, i) => ({
    data: part,
    counted: counted.filter((_, c) => places[c] === i),
  }));
}

/**
 * The quadratic term of `dro` acts on every position. With the learner's own log-probability instead of q, it vanishes where nothing was
 * sampled. Before the first update, the correction's log-probabilities can be reused.
 */
async function withOwnLogprobs(
  client: TrainingClient,
  data: readonly TrainingDatum[],
  isFirst: boolean,
) {
  const known = isFirst ? data.flatMap((datum) => datum.trainerLogprobs ?? []) : [];
  const own = known.length === data.length ? known : await trainerLogprobs(client, data);
  return data.map((datum, d) => {
    const { logprobs, mask, oldLogprobs = logprobs } = datum;
    const start = oldLogprobs.map((q, i) => (mask[i] === 1 ? q : (own[d]?.[i] ?? 0)));
    return toWireDatum({ ...datum, oldLogprobs: start }, "dro");
  });
}

/**
 * Reduces each metric over substeps by its suffix, with sums averaged over passes. Gradient norms and losses without a suffix are
 * averaged.
 */
function mergeMetrics(metrics: readonly ServerMetrics[], passes: number): ServerMetrics {
  const byName = groupBy(
    metrics.flatMap((one) => Object.entries(one)),
    ([name]) => name,
  );
  return Object.fromEntries(
    [...byName].map(([name, entries]) => [
      name,
      reduced(
        name,
        entries.map(([, value]) => value),
        passes,
      ),
    ]),
  );
}

function reduced(name: string, values: readonly number[], passes: number): number {
  const total = sum(values);
  if (name.endsWith(":sum")) return total / passes;
  if (name.endsWith(":max")) return Math.max(...values);
  if (name.endsWith(":min")) return Math.min(...values);
  const isMean = name.endsWith(":mean") || isGradientNorm(name) || isLoss(name);
  return isMean ? total / values.length : (values.at(-1) ?? Number.NaN);
}

function meanLoss(outputs: readonly DatumOutput[], passes: number): number | null {
  const losses = outputs.flatMap((output) => output.losses ?? []);
  if (losses.length < outputs.length) return null;
  const total = losses.reduce((all, own) => all + own.reduce((part, loss) => part + loss, 0), 0);
  return total / passes;
}

interface PassOrder {
  /** Step of the run, from 0. */
  readonly step: number;
  readonly sha256: Sha256;
}

/**
 * The batch of each pass, like PPO's epochs of minibatches (arXiv:1707.06347, algorithm 1): the first in data order, the others shuffled
 * by `seed`, step and pass. Advantages and the sampler's log-probabilities stay the same.
 */
function passesOf(
  batch: TrainingBatch,
  { num_passes: passes, seed }: Pick<Config, "num_passes" | "seed">,
  { step, sha256 }: PassOrder,
): readonly TrainingBatch[] {
  return Array.from({ length: passes }, (_, pass) =>
    pass === 0
      ? batch
      : inOrderOf(batch, (group) => sha256(`pass|${seed}|${step}|${pass}|${group}`)),
  );
}

/** Sorts groups by key; the order within a group stays. */
function inOrderOf(
  { data, counted }: TrainingBatch,
  keyOf: (group: number) => string,
): TrainingBatch {
  const groups = [...new Set([...data, ...counted].map(({ group }) => group))];
  const keyed = groups.map((group) => ({ group, key: keyOf(group) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  const places = new Map(keyed.map(({ group }, place) => [group, place]));
  const byPlace = (a: { readonly group: number }, b: { readonly group: number }): number =>
    (places.get(a.group) ?? 0) - (places.get(b.group) ?? 0);
  return { data: data.toSorted(byPlace), counted: counted.toSorted(byPlace) };
}
