/** Accepts a model's operations: returns a future immediately, and runs the work in sequence order. */

import type { JsonObject } from "../../../../core/json.ts";
import { sha256 } from "../../../../node/hash.ts";
import { readAs } from "../../../http/refusal.ts";
import { jsonReply, type Reply } from "../../../http/reply.ts";
import { type Handler, jsonBody } from "../../../http/router.ts";
import type { TrainedModel } from "../models/trainedModel.ts";
import { modelRequest } from "../wire/schemas.ts";
import type { OperationResult } from "./futures.ts";
import type { ServiceContext } from "./serviceContext.ts";

export interface ModelSubmit {
  readonly modelId: string;
  readonly seqId: number;
  readonly bodyHash: string;
}

/**
 * Returns the future of an operation; repeating the request returns the same future. Everything except ids is checked when `run`
 * gets its turn, so that a bad request becomes a failed result and its number counts as used.
 * @throws AppError `http-refused`
 */
export function submitToModel(
  { models, futures }: ServiceContext,
  { modelId, seqId, bodyHash }: ModelSubmit,
  run: (model: TrainedModel) => Promise<OperationResult>,
): Reply {
  const model = models.get(modelId);
  const requestId = `${modelId}:${seqId}`;
  futures.submit(requestId, bodyHash, () => model.queue.enqueue(seqId, () => run(model)));
  return jsonReply({ request_id: requestId, model_id: modelId });
}

/** The work of a request with a JSON body. */
export type Operation = (
  context: ServiceContext,
  model: TrainedModel,
  body: JsonObject,
) => Promise<OperationResult>;

/** Like {@link submitToModel}, for JSON bodies. Two requests are equal if `hashed` of their bodies is. */
export function submitJson(
  context: ServiceContext,
  body: JsonObject,
  run: Operation,
  hashed: (body: JsonObject) => JsonObject = (all) => all,
): Reply {
  const { model_id: modelId, seq_id: seqId } = readAs(modelRequest, body);
  const submit = { modelId, seqId, bodyHash: sha256(JSON.stringify(hashed(body))) };
  return submitToModel(context, submit, (model) => run(context, model, body));
}

/** A route handler that submits an operation. */
export function submitting(
  context: ServiceContext,
  run: Operation,
  hashed?: (body: JsonObject) => JsonObject,
): Handler {
  return (request) => submitJson(context, jsonBody(request), run, hashed);
}

export function jsonResult(body: JsonObject): OperationResult {
  return { kind: "json", body };
}
