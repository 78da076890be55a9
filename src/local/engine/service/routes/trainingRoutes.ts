/** Training routes: forward_backward in its three forms, and optim_step. */

import { fromBinary } from "@bufbuild/protobuf";
import { errorMessage } from "../../../../core/errors.ts";
import { decodeForwardBackwardRequest } from "../../../../core/tinker/wire/forwardBackwardProto.ts";
import { ForwardBackwardRequestSchema } from "../../../../core/tinker/wire/tinker_pb.ts";
import { sha256 } from "../../../../node/hash.ts";
import { refusal } from "../../../http/refusal.ts";
import { PROTOBUF, type Reply } from "../../../http/reply.ts";
import type { Routes, ServiceRequest } from "../../../http/router.ts";
import type { EngineModel } from "../../engine.ts";
import { userFault } from "../http/faults.ts";
import type { TrainedModel } from "../models/trainedModel.ts";
import type { OperationResult } from "../operations/futures.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";
import { jsonResult, type Operation, submitToModel, submitting } from "../operations/submit.ts";
import { forwardBackwardResult } from "../operations/tensorResults.ts";
import { imageReader } from "../wire/imageChunk.ts";
import { readTensor, readTokens } from "../wire/jsonTensors.ts";
import { type Batch, checkBatch } from "../wire/lossInputs.ts";
import {
  adamParams,
  type ForwardBackwardInputJson,
  forwardBackwardJson,
  forwardJson,
  optimStep,
} from "../wire/schemas.ts";

export function trainingRoutes(context: ServiceContext): Routes {
  const trainJson = submitting(context, (_, model, body) =>
    runBatch(context, model, forwardBackwardJson.parse(body), false),
  );
  return {
    "POST /forward_backward": (request) => {
      if (request.header("content-encoding") !== "") {
        throw refusal(415, "Compressed bodies are not supported; send the message uncompressed.");
      }
      const isProtobuf = request.header("content-type").includes(PROTOBUF);
      return isProtobuf ? submitProtobuf(context, request) : trainJson(request);
    },
    "POST /forward": submitting(context, (_, model, body) =>
      runBatch(context, model, forwardJson.parse(body), true),
    ),
    "POST /optim_step": submitting(context, applyStep),
  };
}

function runBatch(
  context: ServiceContext,
  model: TrainedModel,
  input: ForwardBackwardInputJson,
  forwardOnly: boolean,
): Promise<OperationResult> {
  return forwardBackward(context, model, jsonBatch(input, context.engine.model), forwardOnly);
}

function submitProtobuf(options: ServiceContext, request: ServiceRequest): Reply {
  const { modelId, seqId } = readIds(request.body);
  const submit = { modelId, seqId, bodyHash: sha256(request.body) };
  return submitToModel(options, submit, (model) => {
    const call = decodeForwardBackwardRequest(request.body, (image, where) =>
      imageReader(options.engine.model, where)(image),
    );
    return forwardBackward(options, model, call, call.forwardOnly);
  });
}

/** Reads only the ids, so that a request with an invalid body still gets its turn and a failed result. */
function readIds(body: Uint8Array): { readonly modelId: string; readonly seqId: number } {
  try {
    const { modelId, seqId } = fromBinary(ForwardBackwardRequestSchema, body);
    if (seqId >= 1) return { modelId, seqId };
  } catch (error) {
    throw refusal(400, `The body is not a ForwardBackwardRequest: ${errorMessage(error)}`);
  }
  throw refusal(422, "The seq_id of a request is at least 1.");
}

async function forwardBackward(
  { engine }: ServiceContext,
  model: TrainedModel,
  batch: Batch,
  forwardOnly: boolean,
): Promise<OperationResult> {
  const { data, loss } = checkBatch(batch, engine.model);
  const outcome = await engine.forwardBackward(model.adapter, data, loss, forwardOnly);
  return forwardBackwardResult({
    outputs: outcome.logprobs.map((logprobs) => ({ logprobs })),
    metrics: outcome.metrics,
  });
}

const applyStep: Operation = async ({ engine }, model, body) => {
  const { adam_params, optimizer_params } = optimStep.parse(body);
  if (optimizer_params) {
    throw userFault(
      `The optimizer ${optimizer_params.type} does not fit this model, which has adamw; send adam_params.`,
    );
  }
  const metrics = await engine.optimStep(model.adapter, adam_params ?? adamParams.parse({}));
  return jsonResult({ metrics: finiteOnly(metrics) });
};

/** JSON has no NaN, and a null metric fails the client's validation. */
function finiteOnly(metrics: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(metrics).filter(([, value]) => Number.isFinite(value)));
}

function jsonBatch(input: ForwardBackwardInputJson, model: EngineModel): Batch {
  return {
    data: input.data.map((datum, index) => ({
      tokens: readTokens(datum.model_input, model, `Datum ${index}`),
      lossInputs: Object.fromEntries(
        Object.entries(datum.loss_fn_inputs).map(([name, tensor]) => [
          name,
          readTensor(tensor, `Datum ${index}: ${name}`),
        ]),
      ),
    })),
    lossFn: input.loss_fn,
    lossConfig: input.loss_fn_config ?? {},
  };
}
