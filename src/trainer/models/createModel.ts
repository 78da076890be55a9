/** Where a new run starts: its model, and its position in the data. */

import type { Config } from "../../core/config/fields/schema.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { plainModelName } from "../../core/models/lineUp.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../core/tinker/trainingClient.ts";
import { withoutNextStep } from "../../core/tinker/transport/errors.ts";
import { stepOfCheckpoint } from "../../core/training/step/checkpointWriter.ts";
import { type LoopPosition, START } from "../../core/training/step/loopPosition.ts";
import { statePathOf } from "../../node/savedWeights.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import type { TinkerConnection } from "../services/connections.ts";
import { isGone, REFUSALS } from "./goneState.ts";

/**
 * A new adapter, one with another run's weights, or one that continues from a checkpoint.
 * @throws AppError `checkpoint-other-model` if the checkpoint has another model or rank, `no-such-checkpoint` if the service refuses its
 * path; `tinker-*`
 */
export async function createClient(
  { service }: TinkerConnection,
  { config, path }: Pick<LoadedConfig, "config" | "path">,
): Promise<TrainingClient> {
  const { resume_from: resume, init_from: given } = config;
  if (resume?.startsWith("tinker://") === true) {
    return await loadFrom(service, config, "resume_from", resume);
  }
  if (given !== null) {
    const init = await statePathOf({ given, key: "init_from", configPath: path });
    return await loadFrom(service, config, "init_from", init);
  }
  const { model_name: baseModel, lora_rank: rank, seed } = config;
  const { train_attn: trainAttn, train_mlp: trainMlp, train_unembed: trainUnembed } = config;
  const parts = { trainAttn, trainMlp, trainUnembed };
  try {
    return await service.createTrainingClient({ baseModel, rank, seed, ...parts });
  } catch (error) {
    throw refusedRank(error, rank) ?? error;
  }
}

async function loadFrom(
  service: ServiceClient,
  config: Config,
  key: "init_from" | "resume_from",
  path: string,
): Promise<TrainingClient> {
  const source = `${key}: ${path}`;
  // Not every server has the call, and what is wrong with the path is reported when it is loaded.
  const facts = await service.weightsFacts(path).catch(() => null);
  const trainedOn = facts?.baseModel ?? config.model_name;
  requireBaseModel(trainedOn, config, source);
  const baseModel = trainedOn === config.model_name ? undefined : config.model_name;
  const client = await service
    .createTrainingClientFromState(path, { optimizer: key === "resume_from", baseModel })
    .catch((error: unknown) => throwRefused(service, error, key, path));
  return sameModel(client, config, source);
}

/** Each server has its own limits on the rank and reports them only as text. */
function refusedRank(error: unknown, rank: number): AppError | null {
  if (!isAppError(error, "tinker-request-failed", "tinker-bad-request")) return null;
  if (!/\brank\b/i.test(String(error.data["detail"]))) return null;
  return new AppError("model-rank", `lora_rank: ${rank} is not accepted. ${error.message}`, {
    configPath: "lora_rank",
    cause: error,
  });
}

/**
 * Blames the path only if the service does: a failure after acceptance or a refusal may have other causes, such as the session or ticket.
 */
async function throwRefused(
  service: ServiceClient,
  error: unknown,
  key: "init_from" | "resume_from",
  path: string,
): Promise<never> {
  if (!isAppError(error, ...REFUSALS)) throw error;
  const { status, category } = error.data;
  if (status === undefined && category !== "user") throw error;
  if (status !== undefined && !(await isGone(service, path, error))) throw error;
  throw new AppError(
    "no-such-checkpoint",
    `${key}: ${path} cannot be loaded. ${withoutNextStep(error)} tinker-rl checkpoints list shows what exists.`,
    { configPath: key, cause: error },
  );
}

/** A checkpoint without its run folder continues at the step in its name, at that step's position in the data. */
export function startPosition(config: Config): LoopPosition {
  const { resume_from: resume } = config;
  const step = resume?.startsWith("tinker://") === true ? (stepOfCheckpoint(resume) ?? 0) : 0;
  return { ...START, step, cursor: step * config.batch_size };
}

/** Tokenizer and chat format follow from `model_name`; with another model's weights, training would silently fail. */
function sameModel(client: TrainingClient, config: Config, source: string): TrainingClient {
  const { baseModel, loraRank } = client.info();
  requireBaseModel(baseModel, config, source);
  if (loraRank !== null && loraRank !== config.lora_rank) {
    throw otherModel(source, "lora_rank", loraRank);
  }
  return client;
}

/** @throws AppError `checkpoint-other-model` unless `baseModel` is the configured one or unknown (null) */
export function requireBaseModel(
  baseModel: string | null,
  { model_name: model }: Pick<Config, "model_name">,
  source: string,
): void {
  // The service does not report the variant of every model.
  if (baseModel === null || plainModelName(baseModel) === plainModelName(model)) return;
  throw otherModel(source, "model_name", baseModel);
}

function otherModel(source: string, key: "model_name" | "lora_rank", theirs: unknown): AppError {
  return new AppError(
    "checkpoint-other-model",
    `${source} is a checkpoint with ${key}: ${theirs}. Set ${key} to that, or choose another checkpoint.`,
    { configPath: key },
  );
}
