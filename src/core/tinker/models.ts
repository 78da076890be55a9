/** Creates models, either new or loaded from a checkpoint. */

import { isAppError } from "../errors.ts";
import { jsonOf, type Operations } from "./operations.ts";
import type { TinkerSession } from "./session.ts";
import { tinkerError } from "./transport/errors.ts";
import type { TinkerHttp } from "./transport/http.ts";
import { SubmitQueue } from "./transport/submitQueue.ts";
import type { LossEncoding } from "./wire/lossEncoding.ts";
import {
  type ClientConfig,
  createModelResultSchema,
  loadWeightsResultSchema,
  modelInfoSchema,
  weightsInfoSchema,
} from "./wire/wire.ts";

/** A model as reported by the server. Facts that the server does not report are null. */
export interface ModelInfo {
  readonly modelId: string;
  readonly baseModel: string | null;
  readonly loraRank: number | null;
}

export interface NewModel {
  readonly baseModel: string;
  readonly rank: number;
  /** Absent = random. */
  readonly seed?: number | undefined;
  readonly trainMlp?: boolean | undefined;
  readonly trainAttn?: boolean | undefined;
  readonly trainUnembed?: boolean | undefined;
  readonly userMetadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface LoadOptions {
  /** True also restores the optimizer state. */
  readonly optimizer: boolean;
  /** Another variant of the checkpoint's base model; absent = the same one. */
  readonly baseModel?: string | undefined;
  readonly userMetadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface ModelOptions {
  readonly tinker: TinkerHttp;
  readonly operations: Operations;
  readonly session: TinkerSession;
  /** True = creating the model waits for an unpaid bill. */
  readonly waitsForBills: boolean;
}

export interface CreatedModel {
  readonly info: ModelInfo;
  readonly queue: SubmitQueue;
}

/** Shared by all calls of one model: its id at the service, the order of its requests, and their encoding. */
export interface TrainingRequestOptions
  extends CreatedModel,
    Pick<ModelOptions, "operations" | "session"> {
  readonly config: ClientConfig;
  readonly lossEncoding: LossEncoding;
}

/** Creates a new model with random LoRA weights: `docs/protocols/tinker.md#models`. @throws AppError `tinker-*` */
export async function createModel(options: ModelOptions, model: NewModel): Promise<CreatedModel> {
  const modelId = await submitCreate(options, model.baseModel, model.userMetadata, {
    rank: model.rank,
    seed: model.seed,
    train_unembed: model.trainUnembed ?? true,
    train_mlp: model.trainMlp ?? true,
    train_attn: model.trainAttn ?? true,
  });
  return { info: await modelInfo(options, modelId), queue: new SubmitQueue(modelId) };
}

/** Creates a model from `path`; falls back to three older calls if the server does not support creating it in one. */
export async function loadModel(
  options: ModelOptions,
  path: string,
  load: LoadOptions,
): Promise<CreatedModel> {
  let modelId: string;
  try {
    modelId = await createByLoad(options, path, load);
  } catch (error) {
    if (!isUnknownForm(error)) throw error;
    return await createThenLoad(options, path, load);
  }
  return { info: await modelInfo(options, modelId), queue: new SubmitQueue(modelId) };
}

async function createByLoad(
  options: ModelOptions,
  path: string,
  { optimizer, baseModel, userMetadata }: LoadOptions,
): Promise<string> {
  const { operations, session, waitsForBills } = options;
  const modelNumber = session.reserveModelNumber();
  const sessionId = await session.id();
  const body = {
    session_id: sessionId,
    model_seq_id: modelNumber,
    path,
    optimizer,
    base_model: baseModel,
    user_metadata: userMetadata,
    type: "load_weights",
  };
  const accepted = await operations.submit(
    { type: "LoadWeights", path: "load_weights", body },
    { waitsForBills },
  );
  const { model_id: modelId } = await jsonOf(options, accepted, loadWeightsResultSchema);
  return modelId ?? `${sessionId}:train:${modelNumber}`;
}

/** A server that requires a model id rejects the call with 422, or with a 400 that names the field. */
function isUnknownForm(error: unknown): boolean {
  if (!isAppError(error, "tinker-bad-request")) return false;
  const { status, detail } = error.data;
  return status === 422 || (status === 400 && String(detail).includes("model_id"));
}

async function createThenLoad(
  options: ModelOptions,
  path: string,
  { optimizer, baseModel, userMetadata }: LoadOptions,
): Promise<CreatedModel> {
  const { tinker, operations } = options;
  const weights = await tinker.call(
    { method: "POST", path: "weights_info", body: { tinker_path: path } },
    weightsInfoSchema,
  );
  if (weights.lora_rank === null) {
    throw tinkerError("tinker-protocol", `The server does not report the LoRA rank of ${path}`);
  }
  const modelId = await submitCreate(options, baseModel ?? weights.base_model, userMetadata, {
    rank: weights.lora_rank,
    train_unembed: weights.train_unembed ?? true,
    train_mlp: weights.train_mlp ?? true,
    train_attn: weights.train_attn ?? true,
  });
  const queue = new SubmitQueue(modelId);
  const accepted = await queue.enqueue("load_weights", 1, (seqId) => {
    const body = {
      model_id: modelId,
      seq_id: seqId,
      path,
      optimizer,
      type: "load_weights",
    };
    return operations.submit({
      type: "LoadWeights",
      path: "load_weights",
      body,
    });
  });
  await jsonOf(options, accepted, loadWeightsResultSchema);
  return { info: await modelInfo(options, modelId), queue };
}

async function submitCreate(
  options: ModelOptions,
  baseModel: string,
  userMetadata: Readonly<Record<string, unknown>> | undefined,
  loraConfig: object,
): Promise<string> {
  const { operations, session, waitsForBills } = options;
  const modelNumber = session.reserveModelNumber();
  const body = {
    session_id: await session.id(),
    model_seq_id: modelNumber,
    base_model: baseModel,
    user_metadata: userMetadata,
    lora_config: loraConfig,
    optimizer_config: { type: "adamw" },
    type: "create_model",
  };
  const accepted = await operations.submit(
    { type: "CreateModel", path: "create_model", body },
    { waitsForBills },
  );
  return (await jsonOf(options, accepted, createModelResultSchema)).model_id;
}

/** Requested once per model; on servers without this call everything but the id is unknown. */
async function modelInfo({ tinker, session }: ModelOptions, modelId: string): Promise<ModelInfo> {
  try {
    const info = await tinker.call(
      {
        method: "POST",
        path: "get_info",
        body: { model_id: modelId, type: "get_info" },
        signal: session.signal,
      },
      modelInfoSchema,
    );
    return {
      modelId,
      baseModel: info.model_data?.model_name ?? info.model_name,
      loraRank: info.lora_rank,
    };
  } catch (error) {
    if (!isAppError(error, "tinker-not-found")) throw error;
    return { modelId, baseModel: null, loraRank: null };
  }
}
