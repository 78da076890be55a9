/** Reads results of training and sampling, in either encoding, into one type. */

import { jsonResult } from "./operations.ts";
import type { FutureResult } from "./transport/pollAnswer.ts";
import {
  decodeForwardBackwardOutput,
  type ForwardBackwardResult,
} from "./wire/forwardBackwardProto.ts";
import { decodeSampleResponse, type SampleResult } from "./wire/sampleProto.ts";
import { forwardBackwardResultSchema, sampleResultSchema } from "./wire/wire.ts";

/** @throws AppError `tinker-protocol` */
export function readForwardBackwardResult(result: FutureResult): ForwardBackwardResult {
  if (result.kind === "proto") return decodeForwardBackwardOutput(result.bytes);
  const body = jsonResult(result, forwardBackwardResultSchema, "ForwardBackward");
  return {
    outputs: body.loss_fn_outputs.map(({ logprobs, elementwise_loss: losses }) => ({
      logprobs: Float32Array.from(logprobs.data),
      losses: losses === null ? undefined : Float32Array.from(losses.data),
    })),
    metrics: body.metrics,
  };
}

/** @throws AppError `tinker-protocol` */
export function readSampleResult(result: FutureResult): SampleResult {
  if (result.kind === "proto") return decodeSampleResponse(result.bytes);
  const body = jsonResult(result, sampleResultSchema, "Sample");
  return {
    sequences: body.sequences.map((sequence) => ({
      stopReason: sequence.stop_reason,
      tokens: Int32Array.from(sequence.tokens),
      logprobs: sequence.logprobs && Float32Array.from(sequence.logprobs),
    })),
    promptLogprobs:
      body.prompt_logprobs &&
      Float32Array.from(body.prompt_logprobs, (logprob) => logprob ?? Number.NaN),
    promptCacheHitTokens: body.prompt_cache_hit_tokens,
  };
}
