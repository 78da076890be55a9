/** Results sent as protobuf, or as JSON to clients that do not accept protobuf. */

import type { Json, JsonObject } from "../../../../core/json.ts";
import {
  encodeForwardBackwardOutput,
  type ForwardBackwardResult,
} from "../../../../core/tinker/wire/forwardBackwardProto.ts";
import {
  encodeSampleResponse,
  type ServedSampleResult,
  type TopkRows,
} from "../../../../core/tinker/wire/sampleProto.ts";
import type { WireTensor } from "../../../../core/tinker/wire/tensors.ts";
import { withoutUndefined } from "../../../../shared/withoutUndefined.ts";
import type { OperationResult } from "./futures.ts";

const BYTES_PER_NUMBER = 4;
const OVERHEAD_BYTES = 256;

export function forwardBackwardResult(result: ForwardBackwardResult): OperationResult {
  const numbers = result.outputs.reduce((sum, output) => sum + output.logprobs.length, 0);
  return {
    kind: "tensors",
    sizeBytes: OVERHEAD_BYTES + numbers * BYTES_PER_NUMBER,
    toProtobuf: () => encodeForwardBackwardOutput(result),
    toJson: () => ({
      loss_fn_output_type: "ArrayRecord",
      loss_fn_outputs: result.outputs.map(({ logprobs }) => ({
        logprobs: tensorJson({ values: logprobs, shape: [logprobs.length] }),
      })),
      metrics: result.metrics,
    }),
  };
}

export function sampleFutureResult(result: ServedSampleResult): OperationResult {
  const tokens = result.sequences.reduce((sum, sequence) => sum + sequence.tokens.length, 0);
  const scores = result.promptLogprobs?.length ?? 0;
  return {
    kind: "tensors",
    sizeBytes: OVERHEAD_BYTES + (2 * tokens + scores) * BYTES_PER_NUMBER,
    toProtobuf: () => encodeSampleResponse(result),
    toJson: () => sampleJson(result),
  };
}

function sampleJson(result: ServedSampleResult): JsonObject {
  const { promptLogprobs, topkPromptLogprobs, targetPromptLogprobs } = result;
  return withoutUndefined({
    type: "sample",
    sequences: result.sequences.map(({ stopReason, tokens, logprobs, topkLogprobs }) =>
      withoutUndefined({
        stop_reason: stopReason,
        tokens: [...tokens],
        logprobs: logprobs && [...logprobs],
        topk_logprobs: topkLogprobs ? topkJson(topkLogprobs) : undefined,
      }),
    ),
    prompt_cache_hit_tokens: result.promptCacheHitTokens,
    prompt_logprobs: promptLogprobs
      ? Array.from(promptLogprobs, (x) => (Number.isNaN(x) ? null : x))
      : undefined,
    topk_prompt_logprobs: topkPromptLogprobs ? topkJson(topkPromptLogprobs) : undefined,
    target_prompt_logprobs: targetPromptLogprobs ? tensorJson(targetPromptLogprobs) : undefined,
  });
}

function topkJson(rows: TopkRows): readonly Json[] {
  return rows.map((row) => row?.map(({ token, logprob }) => [token, logprob]) ?? null);
}

function tensorJson({ values, shape }: WireTensor): JsonObject {
  return {
    data: [...values],
    dtype: values instanceof Float32Array ? "float32" : "int64",
    shape,
  };
}
