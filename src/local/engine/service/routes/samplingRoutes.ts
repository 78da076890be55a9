/** Routes for creating and describing samplers, and for sampling. */

import type { JsonObject } from "../../../../core/json.ts";
import { sha256 } from "../../../../node/hash.ts";
import { readAs, refusal } from "../../../http/refusal.ts";
import { jsonReply, type Reply } from "../../../http/reply.ts";
import { jsonBody, type Routes } from "../../../http/router.ts";
import { findKey } from "../checkpoints/tinkerPath.ts";
import type { OperationResult } from "../operations/futures.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";
import { sampleFutureResult } from "../operations/tensorResults.ts";
import { runSample } from "../sampling/sampleOperation.ts";
import { planSample } from "../sampling/samplePlan.ts";
import type { Sampler, SamplerWeights } from "../sampling/samplers.ts";
import { createSamplingSession, sample, sampleRequest } from "../wire/schemas.ts";

export function samplingRoutes(options: ServiceContext): Routes {
  const { samplers, engine } = options;
  return {
    "POST /create_sampling_session": (request) => createSampler(options, jsonBody(request)),
    "GET /samplers/{sampler}": ({ params }) => {
      const { id, weights } = samplers.get(params["sampler"] ?? "");
      return jsonReply({
        sampler_id: id,
        base_model: engine.model.name,
        model_path: weights.kind === "saved" ? weights.path : null,
      });
    },
    "POST /asample": (request) => submitSample(options, jsonBody(request)),
  };
}

async function createSampler(options: ServiceContext, body: JsonObject): Promise<Reply> {
  const request = readAs(createSamplingSession, body);
  const { session_id, sampling_session_seq_id, base_model, model_path } = request;
  options.sessions.checkOpen(session_id);
  const weights = await samplerWeights(options, base_model ?? null, model_path ?? null);
  const sampler = options.samplers.add(session_id, sampling_session_seq_id, weights);
  return jsonReply({ type: "create_sampling_session", sampling_session_id: sampler.id });
}

async function samplerWeights(
  { engine, store }: ServiceContext,
  baseModel: string | null,
  path: string | null,
): Promise<SamplerWeights> {
  if (path === null) {
    if (baseModel === engine.model.name) return { kind: "base" };
    throw refusal(
      404,
      `The base model ${baseModel} is unknown here; this server runs ${engine.model.name}.`,
    );
  }
  const key = findKey(path);
  if (key !== null && key.kind !== "sampler_weights") {
    throw refusal(400, `${path} holds training weights; samplers need sampler_weights.`);
  }
  const record = key === null ? null : await store.find(key);
  if (record === null) throw refusal(404, `There is no checkpoint ${path}.`);
  return { kind: "saved", path, file: record.file };
}

function submitSample(options: ServiceContext, body: JsonObject): Reply {
  const { sampling_session_id, seq_id, num_samples } = readAs(sampleRequest, body);
  const sampler = options.samplers.get(sampling_session_id);
  options.sessions.checkOpen(sampler.sessionId);
  const requestId = `${sampler.id}:${seq_id}`;
  options.futures.submit(requestId, sha256(JSON.stringify(body)), (signal) =>
    runPlan(options, sampler, body, num_samples, signal),
  );
  return jsonReply({
    request_id: requestId,
    sample_sequence_ids: Array.from({ length: num_samples }, (_, i) => `${requestId}:${i}`),
  });
}

async function runPlan(
  { engine, samplers, randomSeed }: ServiceContext,
  sampler: Sampler,
  body: JsonObject,
  numSamples: number,
  signal: AbortSignal,
): Promise<OperationResult> {
  const plan = planSample(sample.parse(body), numSamples, engine.model, randomSeed);
  const result = await samplers.withWeights(sampler, (weights) =>
    runSample(engine, weights, plan, signal),
  );
  return sampleFutureResult(result);
}
