/** Accepts operations of a model: returns a future at once, and runs the work in the order of the numbers. */

import type { JsonObject } from "../../../../core/json.ts";
import { sha256 } from "../../../../node/hash.ts";
import { readAs } from "../../../http/refusal.ts";
import { jsonReply, type Reply } from "../../../http/reply.ts";
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

/** As {@link submitToModel}, for JSON bodies. */
export function submitJson(
  options: ServiceContext,
  body: JsonObject,
  run: (model: TrainedModel) => Promise<OperationResult>,
  bodyHash = sha256(JSON.stringify(body)),
): Reply {
  const { model_id, seq_id } = readAs(modelRequest, body);
  return submitToModel(options, { modelId: model_id, seqId: seq_id, bodyHash }, run);
}

export function jsonResult(body: JsonObject): OperationResult {
  return { kind: "json", body };
}
