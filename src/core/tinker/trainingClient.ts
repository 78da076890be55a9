/** Training of one model: calls are posted in the order they are made, results come when they come. */

import { isAppError } from "../errors.ts";
import type { CheckpointClient } from "./checkpoints.ts";
import { combineResults } from "./combine.ts";
import { chunkData, type Datum, toWireData } from "./datum.ts";
import { tinkerError } from "./errors.ts";
import type { ModelInfo } from "./models.ts";
import { type Accepted, jsonResult, type Operations, type Submit } from "./operations.ts";
import { type CheckpointKind, checkCheckpointName, formatTinkerPath } from "./paths.ts";
import { readForwardBackwardResult } from "./results.ts";
import type { SamplingClient } from "./samplingClient.ts";
import type { TinkerSession } from "./session.ts";
import type { SubmitQueue } from "./submitQueue.ts";
import {
  type AdamParams,
  type ClientConfig,
  ephemeralSamplerSchema,
  type OptimStepBody,
  optimStepResultSchema,
  type SaveForSamplerBody,
  type SaveWeightsBody,
  savedPathSchema,
} from "./wire.ts";
import {
  encodeForwardBackwardRequest,
  type ForwardBackwardResult,
  type LossConfig,
  type WireDatum,
} from "./wireProto.ts";

export interface SaveOptions {
  /** Absent = kept for ever. */
  readonly ttlSeconds?: number | undefined;
  readonly userMetadata?: Readonly<Record<string, string>> | undefined;
}

/** One accepted post, for those who watch the order of submission. */
export interface SubmittedCall {
  readonly modelId: string;
  readonly operation: string;
  readonly seqId: number;
}

/**
 * Each call takes its place in the model's sequence at once and returns the promise of its result. A promise may be
 * awaited late: a failure waits for its awaiter. Calls fail with AppError `tinker-*`; after one that the service did not
 * accept, all later ones fail with `tinker-model-lost`.
 */
export interface TrainingClient {
  readonly modelId: string;
  info(): ModelInfo;
  /**
   * Adds gradients (not with `forwardOnly`) and returns each target's log-probability under the current weights.
   * `lossConfig` travels as it is; thresholds are ratio bounds.
   */
  forwardBackward(
    data: readonly Datum[],
    lossFn: string,
    lossConfig?: LossConfig,
    options?: { readonly forwardOnly?: boolean },
  ): Promise<ForwardBackwardResult>;
  /** Applies the gradients added since the last step, and clears them. */
  optimStep(params: AdamParams): Promise<{ readonly metrics: Readonly<Record<string, number>> }>;
  /** Weights and optimizer, for a resume. `tinker-conflict` when the name is taken. */
  saveState(
    name: string,
    options?: SaveOptions & { readonly overwrite?: boolean },
  ): Promise<{ readonly path: string }>;
  /** Weights for sampling only. */
  saveSampler(name: string, options?: SaveOptions): Promise<{ readonly path: string }>;
  /** A sampler of the weights as they are at this place of the sequence; nothing is stored. */
  ephemeralSampler(): Promise<SamplingClient>;
}

export interface TrainingClientOptions {
  readonly operations: Operations;
  readonly session: TinkerSession;
  readonly checkpoints: CheckpointClient;
  readonly queue: SubmitQueue;
  readonly config: ClientConfig;
  readonly info: ModelInfo;
  readonly samplerFor: (samplerId: string, baseModel: string | null) => SamplingClient;
  readonly onSubmitted?: ((call: SubmittedCall) => void) | undefined;
}

export function createTrainingClient(options: TrainingClientOptions): TrainingClient {
  const { info } = options;
  return {
    modelId: info.modelId,
    info: () => info,
    forwardBackward: (data, lossFn, lossConfig = {}, { forwardOnly = false } = {}) =>
      awaitableLate(forwardBackward(options, data, { lossFn, lossConfig, forwardOnly })),
    optimStep: (params) => awaitableLate(optimStep(options, params)),
    saveState: (name, saveOptions = {}) => awaitableLate(saveState(options, name, saveOptions)),
    saveSampler: (name, saveOptions = {}) => awaitableLate(saveSampler(options, name, saveOptions)),
    ephemeralSampler: () => awaitableLate(ephemeralSampler(options)),
  };
}

/** Keeps the process from ending over a rejection that is awaited after another await. */
function awaitableLate<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}

interface LossCall {
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly forwardOnly: boolean;
}

async function forwardBackward(
  options: TrainingClientOptions,
  data: readonly Datum[],
  call: LossCall,
): Promise<ForwardBackwardResult> {
  const { operations, session, queue, config } = options;
  const wireData = toWireData(data, call.lossFn, call);
  const chunks = chunkData(wireData, {
    maxDatums: config.fwdbwd_max_chunk_len,
    maxBytes: config.fwdbwd_max_chunk_bytes_count,
  });
  const accepted = await queue.enqueue("forward_backward", chunks.length, (firstSeqId) =>
    postChunks(options, chunks, call, firstSeqId),
  );
  const results = await Promise.all(
    accepted.map(async (chunk) =>
      readForwardBackwardResult(await operations.result(chunk, session.signal)),
    ),
  );
  const combined = combineResults(results);
  checkOutputs(combined, wireData);
  return combined;
}

/** The first chunk goes last, so that the server sees the whole batch at once (Tinker wire, section 7.2). */
async function postChunks(
  options: TrainingClientOptions,
  chunks: readonly (readonly WireDatum[])[],
  call: LossCall,
  firstSeqId: number,
): Promise<readonly Accepted[]> {
  const { info, config } = options;
  const accepted: Accepted[] = [];
  const post = async (index: number) => {
    const chunk = chunks[index] ?? [];
    const seqId = firstSeqId + index;
    accepted[index] = await submit(options, seqId, {
      type: call.forwardOnly ? "Forward" : "ForwardBackward",
      path: "forward_backward",
      body: encodeForwardBackwardRequest({ modelId: info.modelId, seqId, data: chunk, ...call }),
    });
  };
  const isFirstLast = config.parallel_fwdbwd_chunks && chunks.length > 1;
  for (let index = isFirstLast ? 1 : 0; index < chunks.length; index++) await post(index);
  if (isFirstLast) await post(0);
  return accepted;
}

function checkOutputs({ outputs }: ForwardBackwardResult, data: readonly WireDatum[]): void {
  if (outputs.length !== data.length) {
    throw tinkerError(
      "tinker-protocol",
      `forward_backward of ${data.length} datums returned ${outputs.length} outputs`,
    );
  }
  data.forEach(({ tokens }, index) => {
    const count = outputs[index]?.logprobs.length;
    if (count !== tokens.length) {
      throw tinkerError(
        "tinker-protocol",
        `forward_backward returned ${count} log-probs for the ${tokens.length} tokens of datum ${index}`,
      );
    }
  });
}

async function optimStep(options: TrainingClientOptions, params: AdamParams) {
  const { operations, session, queue, info } = options;
  const accepted = await queue.enqueue("optim_step", 1, (seqId) => {
    const body: OptimStepBody = {
      model_id: info.modelId,
      seq_id: seqId,
      adam_params: params,
      type: "optim_step",
    };
    return submit(options, seqId, { type: "OptimStep", path: "optim_step", body });
  });
  const result = await operations.result(accepted, session.signal);
  return jsonResult(result, optimStepResultSchema, "OptimStep");
}

async function saveState(
  options: TrainingClientOptions,
  name: string,
  { ttlSeconds, overwrite = false, userMetadata }: SaveOptions & { readonly overwrite?: boolean },
) {
  return await save(options, name, "weights", (seqId) => {
    const body: SaveWeightsBody = {
      model_id: options.info.modelId,
      path: name,
      seq_id: seqId,
      ttl_seconds: ttlSeconds,
      overwrite,
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
    const body: SaveForSamplerBody = {
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
  const { operations, session, queue, info } = options;
  const expected = formatTinkerPath({ run: info.modelId, kind, name });
  const accepted = await queue.enqueue(`save ${name}`, 1, async (seqId) => {
    try {
      return await submit(options, seqId, submitOf(seqId));
    } catch (error) {
      if (await isOwnSave(options, error, expected)) return null;
      throw error;
    }
  });
  if (accepted === null) return { path: expected };
  const result = await operations.result(accepted, session.signal);
  return jsonResult(result, savedPathSchema, accepted.type);
}

/** A name can be taken by our own earlier try, whose answer was lost (Tinker wire, section 2.5). */
async function isOwnSave(
  { checkpoints, info }: TrainingClientOptions,
  error: unknown,
  path: string,
): Promise<boolean> {
  if (!isAppError(error, "tinker-conflict") || !(Number(error.data["attempts"]) > 1)) return false;
  const list = await checkpoints.listCheckpoints(info.modelId);
  return list.some((checkpoint) => checkpoint.path === path);
}

async function ephemeralSampler(options: TrainingClientOptions): Promise<SamplingClient> {
  const { operations, session, queue, info } = options;
  const samplerNumber = session.reserveSamplerNumber();
  const accepted = await queue.enqueue("save_weights_for_sampler", 1, (seqId) => {
    const body: SaveForSamplerBody = {
      model_id: info.modelId,
      sampling_session_seq_id: samplerNumber,
      kind: "snapshot",
      seq_id: seqId,
      type: "save_weights_for_sampler",
    };
    return submit(options, seqId, {
      type: "SaveWeightsForSampler",
      path: "save_weights_for_sampler",
      body,
    });
  });
  const result = await operations.result(accepted, session.signal);
  const sampler = jsonResult(result, ephemeralSamplerSchema, accepted.type);
  return options.samplerFor(sampler.sampling_session_id, info.baseModel);
}

async function submit(
  { operations, session, info, onSubmitted }: TrainingClientOptions,
  seqId: number,
  request: Submit,
): Promise<Accepted> {
  session.check();
  const accepted = await operations.submit({ ...request, signal: session.signal });
  onSubmitted?.({ modelId: info.modelId, operation: request.path, seqId });
  return accepted;
}
