/** Routes that save weights: for resuming, for sampling with or without a name, and for export. */

import type { JsonObject } from "../../../../core/json.ts";
import type { Routes } from "../../../http/router.ts";
import type { Snapshot } from "../../engine.ts";
import type { NewCheckpoint } from "../checkpoints/checkpointStore.ts";
import { checkpointKey, tinkerPath } from "../checkpoints/tinkerPath.ts";
import { userFault } from "../http/faults.ts";
import type { TrainedModel } from "../models/trainedModel.ts";
import type { OperationResult } from "../operations/futures.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";
import { jsonResult, type Operation, submitting } from "../operations/submit.ts";
import { saveWeights, saveWeightsExternal, saveWeightsForSampler } from "../wire/schemas.ts";

export function saveRoutes(context: ServiceContext): Routes {
  return {
    "POST /save_weights": submitting(context, saveTraining),
    "POST /save_weights_for_sampler": submitting(context, saveSampler, withoutSamplerNumber),
    "POST /save_weights_external": submitting(context, saveExternal),
  };
}

/** The official client uses a new sampler number for each retry of an unnamed save. */
function withoutSamplerNumber({ sampling_session_seq_id: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

const saveTraining: Operation = async ({ engine, store }, model, body) => {
  const { path, ttl_seconds, overwrite, user_metadata } = saveWeights.parse(body);
  const key = checkpointKey(model.id, "weights", path);
  await store.save(key, {
    ...commonParts(model, engine.model.name),
    bytes: await engine.exportAdapter(model.adapter, true),
    userMetadata: user_metadata ?? null,
    ttlSeconds: ttl_seconds ?? null,
    overwrite: overwrite ?? false,
  });
  return jsonResult({ type: "save_weights", path: tinkerPath(key) });
};

/** Saves the weights without optimizer state, which {@link exportRoutes} serves as files. */
const saveExternal: Operation = async ({ engine, store }, model, body) => {
  const {
    path,
    ttl_seconds,
    age_encryption_recipients: recipients,
  } = saveWeightsExternal.parse(body);
  if (recipients != null) throw userFault("The local engine does not encrypt exported weights.");
  const key = checkpointKey(model.id, "external_weights", path);
  const bytes = await engine.exportAdapter(model.adapter, false);
  await store.save(key, {
    ...commonParts(model, engine.model.name),
    bytes,
    userMetadata: null,
    ttlSeconds: ttl_seconds ?? null,
    overwrite: false,
  });
  return jsonResult({
    type: "save_weights_external",
    path: tinkerPath(key),
    size_bytes: bytes.byteLength,
  });
};

const saveSampler: Operation = async (options, model, body) => {
  const { path, sampling_session_seq_id, ttl_seconds, user_metadata } =
    saveWeightsForSampler.parse(body);
  if (path) {
    return saveNamedSampler(options, model, path, {
      userMetadata: user_metadata ?? null,
      ttlSeconds: ttl_seconds ?? null,
    });
  }
  const sequence = sampling_session_seq_id ?? null;
  if (sequence === null) {
    throw userFault("save_weights_for_sampler needs a path or a sampling_session_seq_id.");
  }
  const snapshot = await options.engine.snapshot(model.adapter);
  const sampler = options.samplers.addUnnamed(model.sessionId, sequence, snapshot);
  return jsonResult({ type: "save_weights_for_sampler", sampling_session_id: sampler.id });
};

async function saveNamedSampler(
  { engine, store }: ServiceContext,
  model: TrainedModel,
  name: string,
  options: Pick<NewCheckpoint, "userMetadata" | "ttlSeconds">,
): Promise<OperationResult> {
  const key = checkpointKey(model.id, "sampler_weights", name);
  const snapshot: Snapshot = await engine.snapshot(model.adapter);
  try {
    await store.save(key, {
      ...commonParts(model, engine.model.name),
      ...options,
      bytes: await engine.exportAdapter(snapshot, false),
      overwrite: false,
    });
  } finally {
    engine.releaseSnapshot(snapshot);
  }
  return jsonResult({ type: "save_weights_for_sampler", path: tinkerPath(key) });
}

function commonParts(
  model: TrainedModel,
  baseModel: string,
): Pick<NewCheckpoint, "baseModel" | "lora" | "runMetadata"> {
  return { baseModel, lora: model.lora, runMetadata: model.userMetadata };
}
