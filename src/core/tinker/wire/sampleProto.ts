/** The binary answer to a request for samples as plain types, and its encoding in both directions. */

import {
  bytes,
  decodeMessage,
  encodeMessage,
  field,
  integer,
  type Message,
  message,
  optional,
  repeated,
  type WrittenMessage,
} from "../../util/protobuf.ts";
import { malformedMessage } from "../transport/errors.ts";
import { readMessage } from "./readMessage.ts";
import {
  bytesToFloat32,
  bytesToInt32,
  decodeTensor,
  encodeTensor,
  float32ToBytes,
  int32ToBytes,
  TENSOR,
  type WireTensor,
} from "./tensors.ts";

/** `length` rows of `k` cells. */
const TOPK = {
  /** int32 array. */
  tokenIds: field(1, bytes),
  /** float32 array. */
  logprobs: field(2, bytes),
  k: field(3, integer),
  length: field(4, integer),
};
const SEQUENCE = {
  stopReason: field(1, integer),
  /** int32 array. */
  tokens: field(2, bytes),
  /** float32 array as long as the tokens. */
  logprobs: optional(3, bytes),
  topkLogprobs: optional(4, message(TOPK)),
};
const SAMPLE_RESPONSE = {
  sequences: repeated(1, message(SEQUENCE)),
  /** float32 array, NaN where undefined. */
  promptLogprobs: optional(2, bytes),
  topkPromptLogprobs: optional(3, message(TOPK)),
  promptCacheHitTokens: field(4, integer),
  targetPromptLogprobs: optional(5, message(TENSOR)),
};
const STOP_REASON = { stop: 0, length: 1 } as const;

export interface ScoredToken {
  readonly token: number;
  readonly logprob: number;
}

/** The best tokens of each position, best first; null where undefined. */
export type TopkRows = readonly (readonly ScoredToken[] | null)[];

export interface WireSequence {
  readonly stopReason: "stop" | "length";
  readonly tokens: Int32Array;
  /** As long as `tokens`; null when the server sent none. */
  readonly logprobs: Float32Array | null;
  readonly topkLogprobs: TopkRows | null;
}

export interface SampleResult {
  readonly sequences: readonly WireSequence[];
  /** One value for each prompt token, NaN where undefined. */
  readonly promptLogprobs: Float32Array | null;
  readonly topkPromptLogprobs: TopkRows | null;
  readonly targetPromptLogprobs: WireTensor | null;
  readonly promptCacheHitTokens: number;
}

export function encodeSampleResponse(result: SampleResult): Uint8Array {
  const { promptLogprobs, topkPromptLogprobs, targetPromptLogprobs } = result;
  return encodeMessage(SAMPLE_RESPONSE, {
    sequences: result.sequences.map(({ stopReason, tokens, logprobs, topkLogprobs }) => ({
      stopReason: STOP_REASON[stopReason],
      tokens: int32ToBytes(tokens),
      logprobs: logprobs ? float32ToBytes(logprobs) : undefined,
      topkLogprobs: topkLogprobs ? encodeTopk(topkLogprobs) : undefined,
    })),
    promptLogprobs: promptLogprobs ? float32ToBytes(promptLogprobs) : undefined,
    topkPromptLogprobs: topkPromptLogprobs ? encodeTopk(topkPromptLogprobs) : undefined,
    promptCacheHitTokens: result.promptCacheHitTokens,
    targetPromptLogprobs: targetPromptLogprobs ? encodeTensor(targetPromptLogprobs) : undefined,
  });
}

/** @throws AppError `tinker-protocol` when the message is broken or holds an unknown stop reason */
export function decodeSampleResponse(from: Uint8Array): SampleResult {
  const result = readMessage("sample result", () => decodeMessage(SAMPLE_RESPONSE, from));
  const { promptLogprobs, topkPromptLogprobs, targetPromptLogprobs } = result;
  return {
    sequences: result.sequences.map(decodeSequence),
    promptLogprobs: promptLogprobs ? bytesToFloat32(promptLogprobs, "prompt_logprobs") : null,
    topkPromptLogprobs: topkPromptLogprobs ? decodeTopk(topkPromptLogprobs) : null,
    targetPromptLogprobs: targetPromptLogprobs
      ? decodeTensor(targetPromptLogprobs, "target_prompt_logprobs")
      : null,
    promptCacheHitTokens: result.promptCacheHitTokens,
  };
}

function decodeSequence(sequence: Message<typeof SEQUENCE>): WireSequence {
  const { logprobs, topkLogprobs } = sequence;
  return {
    stopReason: decodeStopReason(sequence.stopReason),
    tokens: bytesToInt32(sequence.tokens, "the sampled tokens"),
    // Empty bytes mean absent.
    logprobs: logprobs?.length ? bytesToFloat32(logprobs, "the sampled logprobs") : null,
    topkLogprobs: topkLogprobs ? decodeTopk(topkLogprobs) : null,
  };
}

function decodeStopReason(reason: number): "stop" | "length" {
  if (reason === STOP_REASON.stop) return "stop";
  if (reason === STOP_REASON.length) return "length";
  throw malformedMessage(`stop reason ${reason} is unknown`);
}

/** Fills the empty cells of a top-k table. */
const EMPTY_LOGPROB = -99999;

/** Short rows are filled up; an undefined row is all empty. */
function encodeTopk(rows: TopkRows): WrittenMessage<typeof TOPK> {
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

/** @throws AppError `tinker-protocol` when the cells do not make whole rows */
function decodeTopk({ k, length, ...cells }: Message<typeof TOPK>): TopkRows {
  const tokens = bytesToInt32(cells.tokenIds, "the top-k token ids");
  const logprobs = bytesToFloat32(cells.logprobs, "the top-k logprobs");
  if (tokens.length !== k * length || logprobs.length !== k * length) {
    throw malformedMessage(`a top-k table of ${length} rows of ${k} has ${tokens.length} cells`);
  }
  return Array.from({ length }, (_, row) => {
    const own = Array.from(tokens.subarray(row * k, row * k + k), (token, i) => ({
      token,
      logprob: logprobs[row * k + i] ?? EMPTY_LOGPROB,
    })).filter((cell) => cell.logprob !== EMPTY_LOGPROB);
    return own.length === 0 ? null : own;
  });
}
