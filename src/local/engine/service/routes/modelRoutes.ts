/** Routes for creating, loading, describing, and unloading models. */

import type { JsonObject } from "../../../../core/json.ts";
import { sha256 } from "../../../../node/hash.ts";
import { readAs, refusal } from "../../../http/refusal.ts";
import { jsonReply, type Reply } from "../../../http/reply.ts";
import { jsonBody, type Routes } from "../../../http/router.ts";
import { MAX_RANK } from "../../architecture.ts";
import type { Adapter } from "../../engine.ts";
import { parseTinkerPath } from "../checkpoints/tinkerPath.ts";
import { userFault } from "../http/faults.ts";
import type { TrainedModel } from "../models/trainedModel.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";
import { jsonResult, type Operation, submitJson } from "../operations/submit.ts";
import {
  createModel,
  creationRequest,
  loadWeights,
  modelReference,
  modelRequest,
} from "../wire/schemas.ts";

const OPTIMIZER = { type: "adamw" };

export function modelRoutes(options: ServiceContext): Routes {
  return {
    "POST /create_model": (request) => submitCreation(options, jsonBody(request), create),
    "POST /load_weights": (request) => {
      const body = jsonBody(request);
      const isNew = (body["model_id"] ?? null) === null;
      return isNew ? submitCreation(options, body, loadInto) : submitFirst(options, body, loadInto);
    },
    "POST /get_info": (request) => {
      const { model_id } = readAs(modelReference, jsonBody(request));
      return jsonReply(describe(options, options.models.get(model_id)));
    },
    "POST /unload_model": (request) => {
      const { model_id } = readAs(modelReference, jsonBody(request));
      return unload(options, model_id);
    },
  };
}

/** The model exists from here on, because its id is known in advance and requests may follow immediately. */
function submitCreation(context: ServiceContext, body: JsonObject, create: Operation): Reply {
  const { models, futures, sessions } = context;
  const { session_id, model_seq_id, user_metadata } = readAs(creationRequest, body);
  sessions.checkOpen(session_id);
  const modelId = `${session_id}:train:${model_seq_id}`;
  const requestId = `${modelId}:0`;
  futures.submit(requestId, sha256(JSON.stringify(body)), () => {
    const model = models.add(session_id, modelId, user_metadata ?? null);
    return model.queue.enqueue(0, () => create(context, model, body));
  });
  return jsonReply({ request_id: requestId, model_id: modelId });
}

/** Weights can be loaded into an existing model only as its first request: `docs/protocols/tinker.md#models`. */
function submitFirst(options: ServiceContext, body: JsonObject, load: Operation): Reply {
  const { model_id, seq_id } = readAs(modelRequest, body);
  if (seq_id === 1) return submitJson(options, body, load);
  options.models.get(model_id).queue.skip(seq_id);
  throw refusal(
    400,
    `LoadWeights is not permitted with seq_id ${seq_id}: only the first request of a model may load.`,
  );
}

const create: Operation = async (context, model, body) => {
  model.adopt(newAdapter(context, body));
  return jsonResult({ type: "create_model", model_id: model.id });
};

function newAdapter({ engine, randomSeed }: ServiceContext, body: JsonObject): Adapter {
  const { base_model, lora_config, optimizer_config } = createModel.parse(body);
  checkBaseModel(base_model, engine.model.name);
  checkOptimizer(optimizer_config?.type);
  const { rank, seed, train_attn, train_mlp } = lora_config ?? { rank: 32 };
  if (rank < 1 || rank > MAX_RANK || !Number.isInteger(Math.log2(rank))) {
    throw userFault(
      `lora_config.rank is ${rank}; it must be a power of two between 1 and ${MAX_RANK}.`,
    );
  }
  const trainAttn = train_attn ?? true;
  const trainMlp = train_mlp ?? true;
  if (!trainAttn && !trainMlp) {
    throw userFault(
      "train_attn and train_mlp are both false, so nothing would be trained (the unembedding is tied). Set one.",
    );
  }
  return engine.createAdapter({ rank, seed: seed ?? randomSeed(), trainAttn, trainMlp });
}

const loadInto: Operation = async ({ engine, store }, model, body) => {
  const { path, optimizer, base_model, optimizer_config } = loadWeights.parse(body);
  const key = parseTinkerPath(path);
  if (key.kind !== "weights") {
    throw userFault(`${path} holds sampler weights; only weights checkpoints can be trained.`);
  }
  if (base_model) checkBaseModel(base_model, engine.model.name);
  checkOptimizer(optimizer_config?.type);
  const { record, bytes } = await store.read(key);
  checkBaseModel(record.base_model, engine.model.name);
  model.adopt(engine.importAdapter(bytes, optimizer));
  return jsonResult({ type: "load_weights", path, model_id: model.id });
};

function describe({ engine }: ServiceContext, model: TrainedModel): JsonObject {
  if (!model.isReady) throw refusal(404, `The model ${model.id} has not been created.`);
  const { name } = engine.model;
  return {
    type: "get_info",
    model_id: model.id,
    is_lora: true,
    lora_rank: model.lora.rank,
    model_name: name,
    optimizer_config: OPTIMIZER,
    model_data: { arch: "local", model_name: name, tokenizer_id: name },
  };
}

function unload({ models, futures }: ServiceContext, modelId: string): Reply {
  const requestId = `${modelId}:unload`;
  futures.submit(requestId, modelId, async () => {
    await models.unload(modelId);
    return jsonResult({ type: "unload_model", model_id: modelId });
  });
  return jsonReply({ request_id: requestId, model_id: modelId });
}

function checkBaseModel(given: string, own: string): void {
  if (given === own) return;
  throw userFault(`The base model ${given} is unknown here; this server trains ${own}.`);
}

function checkOptimizer(type = OPTIMIZER.type): void {
  if (type === OPTIMIZER.type) return;
  throw userFault(`The optimizer ${type} is not supported; choose ${OPTIMIZER.type}.`);
}
