/** The binary answer to a sample request as plain types, with encoding in both directions. */

import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { malformedMessage } from "../transport/errors.ts";
import { readMessage } from "./readMessage.ts";
import {
  bytesToFloat32,
  bytesToInt32,
  encodeTensor,
  float32ToBytes,
  int32ToBytes,
  type WireTensor,
} from "./tensors.ts";
import {
  type SampledSequence,
  SampleResponseSchema,
  StopReason,
  type TopkLogprobsSchema,
} from "./tinker_pb.ts";

export interface ScoredToken {
  readonly token: number;
  readonly logprob: number;
}

/** The top tokens of each position, best first; null where undefined. */
export type TopkRows = readonly (readonly ScoredToken[] | null)[];

export interface WireSequence {
  readonly stopReason: "stop" | "length";
  readonly tokens: Int32Array;
  /** As long as `tokens`; null if the server sent none. */
  readonly logprobs: Float32Array | null;
}

export interface SampleResult {
  readonly sequences: readonly WireSequence[];
  /** One value per prompt token, NaN where undefined. */
  readonly promptLogprobs: Float32Array | null;
  readonly promptCacheHitTokens: number;
}

/** Also the fields that only other clients request from a server. */
export interface ServedSampleResult extends SampleResult {
  readonly sequences: readonly ServedSequence[];
  readonly topkPromptLogprobs?: TopkRows | null;
  readonly targetPromptLogprobs?: WireTensor | null;
}

interface ServedSequence extends WireSequence {
  readonly topkLogprobs?: TopkRows | null;
}

export function encodeSampleResponse(result: ServedSampleResult): Uint8Array {
  const { promptLogprobs, topkPromptLogprobs, targetPromptLogprobs } = result;
  const message = create(SampleResponseSchema, {
    sequences: result.sequences.map(({ stopReason, tokens, logprobs, topkLogprobs }) => ({
      stopReason: stopReason === "length" ? StopReason.LENGTH : StopReason.STOP,
      tokens: int32ToBytes(tokens),
      logprobs: logprobs ? float32ToBytes(logprobs) : undefined,
      topkSampledLogprobs: topkLogprobs ? encodeTopk(topkLogprobs) : undefined,
    })),
    promptLogprobs: promptLogprobs ? float32ToBytes(promptLogprobs) : undefined,
    topkPromptLogprobs: topkPromptLogprobs ? encodeTopk(topkPromptLogprobs) : undefined,
    promptCacheHitTokens: result.promptCacheHitTokens,
    targetPromptLogprobs: targetPromptLogprobs ? encodeTensor(targetPromptLogprobs) : undefined,
  });
  return toBinary(SampleResponseSchema, message);
}

/** @throws AppError `tinker-protocol` when the message is broken or holds an unknown stop reason */
export function decodeSampleResponse(bytes: Uint8Array): SampleResult {
  const message = readMessage("sample result", () => fromBinary(SampleResponseSchema, bytes));
  const { promptLogprobs } = message;
  return {
    sequences: message.sequences.map(decodeSequence),
    promptLogprobs: promptLogprobs ? bytesToFloat32(promptLogprobs, "prompt_logprobs") : null,
    promptCacheHitTokens: message.promptCacheHitTokens,
  };
}

function decodeSequence(sequence: SampledSequence): WireSequence {
  const { logprobs } = sequence;
  return {
    stopReason: decodeStopReason(sequence.stopReason),
    tokens: bytesToInt32(sequence.tokens, "the sampled tokens"),
    // Empty bytes mean absent.
    logprobs: logprobs?.length ? bytesToFloat32(logprobs, "the sampled logprobs") : null,
  };
}

function decodeStopReason(reason: StopReason): "stop" | "length" {
  if (reason === StopReason.STOP) return "stop";
  if (reason === StopReason.LENGTH) return "length";
  throw malformedMessage(`stop reason ${reason} is unknown`);
}

/** Fills the empty cells of a top-k table. */
const EMPTY_LOGPROB = -99999;

/** Pads short rows; an undefined row becomes all padding. */
function encodeTopk(rows: TopkRows): MessageInitShape<typeof TopkLogprobsSchema> {
  const k = Math.max(0, ...rows.map((row) => row?.length ?? 0));
  const cells = rows.flatMap((row) =>
    Array.from({ length: k }, (_, i) => row?.[i] ?? { token: 0, logprob: EMPTY_LOGPROB }),
  );
  return {
    tokenIds: int32ToBytes(cells.map((cell) => cell.token)),
    logprobs: float32ToBytes(cells.map((cell) => cell.logprob)),
    k,
    length: rows.length,
  };
}
