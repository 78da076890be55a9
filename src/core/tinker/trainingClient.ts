/** Trains one model: requests are posted in call order; results may arrive in any order. */

import { isAppError } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import type { Backoff } from "../util/backoff.ts";
import { retry } from "../util/retry.ts";
import type { CheckpointClient } from "./checkpoints.ts";
import { forwardBackward } from "./forwardBackward.ts";
import type { ModelInfo, TrainingRequestOptions } from "./models.ts";
import { jsonOf, type Submit } from "./operations.ts";
import { type CheckpointKind, checkCheckpointName, formatTinkerPath } from "./paths.ts";
import type { SamplingClient } from "./samplingClient.ts";
import type { Datum } from "./wire/datum.ts";
import type { ForwardBackwardResult, LossConfig } from "./wire/forwardBackwardProto.ts";
import {
  type AdamParams,
  ephemeralSamplerSchema,
  optimStepResultSchema,
  savedPathSchema,
} from "./wire/wire.ts";

export interface SaveOptions {
  /** Absent = kept until deleted. */
  readonly ttlSeconds?: number | undefined;
  readonly userMetadata?: Readonly<Record<string, string>> | undefined;
}

export interface LossOptions {
  /** True computes only log-probabilities and metrics, without adding gradients. */
  readonly forwardOnly?: boolean;
  /** True = a rejected request leaves the model usable; no other call may be in progress. */
  readonly mayBeRefused?: boolean;
}

/**
 * Each call immediately reserves its position in the model's sequence and returns a promise of its result. Promises may be
 * awaited late: an early rejection does not count as unhandled. Calls fail with AppError `tinker-*`; once the service has not
 * accepted a call, all later ones fail with `tinker-model-lost`.
 */
export interface TrainingClient {
  readonly modelId: string;
  info(): ModelInfo;
  /**
   * Adds gradients (not with `forwardOnly`) and returns each target's log-probability under the current weights. `lossConfig` is
   * sent unchanged; thresholds are ratio bounds.
   */
  forwardBackward(
    data: readonly Datum[],
    lossFn: string,
    lossConfig?: LossConfig,
    options?: LossOptions,
  ): Promise<ForwardBackwardResult>;
  /** Applies and clears the gradients accumulated since the last step. */
  optimStep(params: AdamParams): Promise<{ readonly metrics: Readonly<Record<string, number>> }>;
  /** Saves weights and optimizer state, for resuming. `tinker-conflict` if the name is taken. */
  saveState(name: string, options?: SaveOptions): Promise<{ readonly path: string }>;
  /** Saves weights for sampling only. */
  saveSampler(name: string, options?: SaveOptions): Promise<{ readonly path: string }>;
  /** Creates a sampler of the weights at this position of the sequence, without storing them. */
  ephemeralSampler(): Promise<SamplingClient>;
}

export interface TrainingClientOptions extends TrainingRequestOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly checkpoints: CheckpointClient;
  readonly samplerFor: (samplerId: string, baseModel: string | null) => SamplingClient;
}

const listBackoff: Backoff = { firstMs: 1_000, maxMs: 10_000, jitter: 0 };
const listBudgetMs = 5 * 60_000;

export function createTrainingClient(options: TrainingClientOptions): TrainingClient {
  const { info } = options;
  return {
    modelId: info.modelId,
    info: () => info,
    forwardBackward: (data, lossFn, lossConfig = {}, how = {}) => {
      const { forwardOnly = false, mayBeRefused = false } = how;
      const call = { lossFn, lossConfig, forwardOnly, mayBeRefused };
      return awaitableLate(forwardBackward(options, data, call));
    },
    optimStep: (params) => awaitableLate(optimStep(options, params)),
    saveState: (name, saveOptions = {}) => awaitableLate(saveState(options, name, saveOptions)),
    saveSampler: (name, saveOptions = {}) => awaitableLate(saveSampler(options, name, saveOptions)),
    ephemeralSampler: () => awaitableLate(ephemeralSampler(options)),
  };
}

/** Prevents an unhandled rejection when the promise is awaited only after another await. */
function awaitableLate<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}

async function optimStep(options: TrainingClientOptions, params: AdamParams) {
  const { operations, queue, info } = options;
  const accepted = await queue.enqueue("optim_step", 1, (seqId) => {
    const body = {
      model_id: info.modelId,
      seq_id: seqId,
      adam_params: params,
      type: "optim_step",
    };
    return operations.submit({ type: "OptimStep", path: "optim_step", body });
  });
  return await jsonOf(options, accepted, optimStepResultSchema);
}

async function saveState(
  options: TrainingClientOptions,
  name: string,
  { ttlSeconds, userMetadata }: SaveOptions,
) {
  return await save(options, name, "weights", (seqId) => {
    const body = {
      model_id: options.info.modelId,
      path: name,
      seq_id: seqId,
      ttl_seconds: ttlSeconds,
      overwrite: false,
      user_metadata: userMetadata,
      type: "save_weights",
    };
    return { type: "SaveWeights", path: "save_weights", body };
  });
}

async function saveSampler(
  options: TrainingClientOptions,
  name: string,
  { ttlSeconds, userMetadata }: SaveOptions,
) {
  return await save(options, name, "sampler_weights", (seqId) => {
    const body = {
      model_id: options.info.modelId,
      path: name,
      kind: "snapshot",
      seq_id: seqId,
      ttl_seconds: ttlSeconds,
      user_metadata: userMetadata,
      type: "save_weights_for_sampler",
    };
    return { type: "SaveWeightsForSampler", path: "save_weights_for_sampler", body };
  });
}

async function save(
  options: TrainingClientOptions,
  name: string,
  kind: CheckpointKind,
  submitOf: (seqId: number) => Submit,
): Promise<{ readonly path: string }> {
  checkCheckpointName(name);
  const { operations, queue, info } = options;
  const expected = formatTinkerPath({ run: info.modelId, kind, name });
  const accepted = await queue.enqueue(`save ${name}`, 1, async (seqId) => {
    try {
      return await operations.submit(submitOf(seqId));
    } catch (error) {
      if (await isOwnSave(options, error, expected)) return null;
      throw error;
    }
  });
  if (accepted === null) return { path: expected };
  return await jsonOf(options, accepted, savedPathSchema);
}

/** The name may be taken by our own earlier attempt whose answer was lost. Some servers list a save only once it is complete. */
async function isOwnSave(
  { checkpoints, session, clock, random, info }: TrainingClientOptions,
  error: unknown,
  path: string,
): Promise<boolean> {
  if (!isRepeatRefused(error)) return false;
  return await retry(
    async () => {
      const list = await checkpoints.listCheckpoints(info.modelId);
      const isListed = list.some((checkpoint) => checkpoint.path === path);
      return isListed
        ? { kind: "done", result: true }
        : { kind: "unfinished", result: false, reason: `${path} is not listed yet` };
    },
    { clock, random, signal: session.signal, backoff: listBackoff, budgetMs: listBudgetMs },
  );
}

function isRepeatRefused(error: unknown): boolean {
  return isAppError(error, "tinker-conflict") && Number(error.data["attempts"]) > 1;
}

async function ephemeralSampler(options: TrainingClientOptions): Promise<SamplingClient> {
  const { operations, session, queue, info } = options;
  const submit = (seqId: number, samplerNumber: number) => {
    const body = {
      model_id: info.modelId,
      sampling_session_seq_id: samplerNumber,
      kind: "snapshot",
      seq_id: seqId,
      type: "save_weights_for_sampler",
    };
    return operations.submit({
      type: "SaveWeightsForSampler",
      path: "save_weights_for_sampler",
      body,
    });
  };
  const samplerNumber = session.reserveSamplerNumber();
  const accepted = await queue.enqueue("save_weights_for_sampler", 1, async (seqId) => {
    try {
      return await submit(seqId, samplerNumber);
    } catch (error) {
      if (!isRepeatRefused(error)) throw error;
      return await submit(seqId, session.reserveSamplerNumber());
    }
  });
  const sampler = await jsonOf(options, accepted, ephemeralSamplerSchema);
  return options.samplerFor(sampler.sampling_session_id, info.baseModel);
}
