/** Accepts operations of a model: returns a future at once, and runs the work in the order of the numbers. */

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
 * Returns the future of an operation; the same submit again gets the same future. Everything but the ids is
 * checked when `run` has its turn, so that a bad request is a failed result and its number counts as used.
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

/** As {@link submitToModel}, for JSON bodies. Two submits are the same when what `hashed` leaves of their bodies is. */
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

/** A route that submits. */
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
