/** The binary messages of `forward_backward` as plain types, and their encoding in both directions. */

import type { ImageFile } from "../../images/imageFile.ts";
import type { Run } from "../../images/imageIds.ts";
import {
  bytes,
  decodeMessage,
  double,
  encodeMessage,
  field,
  flag,
  integer,
  type Message,
  mapped,
  message,
  optional,
  repeated,
  text,
  type WrittenMessage,
} from "../../util/protobuf.ts";
import { malformedMessage } from "../transport/errors.ts";
import { type InputPart, inputParts } from "./modelInput.ts";
import { readMessage } from "./readMessage.ts";
import {
  BATCHED_TENSOR,
  bytesToInt32,
  decodeRows,
  decodeTensor,
  encodeRows,
  encodeTensor,
  int32ToBytes,
  TENSOR,
  type WireTensor,
} from "./tensors.ts";

const IMAGE = {
  data: field(1, bytes),
  /** "png" or "jpeg". */
  format: field(2, text),
  expectedTokens: optional(3, integer),
};
/** One of these; `encodedText` holds an int32 array. */
const CHUNK = {
  encodedText: optional(1, message({ tokens: field(1, bytes) })),
  image: optional(2, message(IMAGE)),
  dmel: optional(3, message({})),
};
const DATUM = { modelInput: repeated(1, message(CHUNK)), lossFnInputs: mapped(2, message(TENSOR)) };
/** One of both. */
const LOSS_CONFIG_VALUE = { number: optional(1, double), text: optional(2, text) };
export const FORWARD_BACKWARD_REQUEST = {
  modelId: field(1, text),
  seqId: field(2, integer),
  data: repeated(3, message(DATUM)),
  lossFn: field(4, text),
  /** Older mirror of the numbers in `lossFnConfigV2`. */
  lossFnConfig: mapped(5, double),
  forwardOnly: field(6, flag),
  lossFnConfigV2: mapped(7, message(LOSS_CONFIG_VALUE)),
};
const ARRAY_RECORD = {
  typeTag: field(1, text),
  fields: mapped(2, message(BATCHED_TENSOR)),
  numDatums: field(3, integer),
};
const FORWARD_BACKWARD_OUTPUT = {
  lossFnOutputType: field(1, text),
  lossFnOutputs: repeated(2, message(ARRAY_RECORD)),
  metrics: mapped(3, double),
};

export type LossConfig = Readonly<Record<string, number | string>>;

/** Tokens and the arrays that the loss reads, aligned with them. */
export interface WireDatum {
  /** Ids; those below 0 stand for `images`, see `imageIds.ts`. */
  readonly tokens: Int32Array;
  /** Those of the rollout; absent = none. */
  readonly images?: readonly ImageFile[] | undefined;
  readonly lossInputs: Readonly<Record<string, WireTensor>>;
}

export interface ForwardBackwardCall {
  readonly modelId: string;
  readonly seqId: number;
  readonly data: readonly WireDatum[];
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly forwardOnly: boolean;
}

/** One datum's answer: log-probability of each target under the current weights. */
export interface DatumOutput {
  readonly logprobs: Float32Array;
  /** The loss of each target, from servers that report it. */
  readonly losses?: Float32Array | undefined;
}

export interface ForwardBackwardResult {
  readonly outputs: readonly DatumOutput[];
  /** Named `name:reduction`, for example `loss:sum`. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Numbers of the loss config go into both maps, texts into the newer one only: `docs/protocols/tinker.md#forward_backward`. */
export function encodeForwardBackwardRequest(call: ForwardBackwardCall): Uint8Array {
  const lossFnConfig = new Map<string, number>();
  const lossFnConfigV2 = new Map<string, WrittenMessage<typeof LOSS_CONFIG_VALUE>>();
  for (const [key, value] of Object.entries(call.lossConfig)) {
    if (typeof value === "number") lossFnConfig.set(key, value);
    lossFnConfigV2.set(key, typeof value === "number" ? { number: value } : { text: value });
  }
  return encodeMessage(FORWARD_BACKWARD_REQUEST, {
    modelId: call.modelId,
    seqId: call.seqId,
    data: call.data.map(encodeDatum),
    lossFn: call.lossFn,
    lossFnConfig,
    forwardOnly: call.forwardOnly,
    lossFnConfigV2,
  });
}

export type WireImage = Message<typeof IMAGE>;

/** Ids that stand for an image; `where` names its datum for messages. */
export type ImageReader = (image: WireImage, where: string) => Int32Array;

/**
 * Reads a request; several chunks are joined, provenance spans ignored. Without a reader images are refused.
 * @throws AppError `tinker-protocol` for bytes that are no such message, images, audio and sparse tensors; what `readImage` throws
 */
export function decodeForwardBackwardRequest(
  from: Uint8Array,
  readImage?: ImageReader,
): ForwardBackwardCall {
  const request = readMessage("forward_backward request", () =>
    decodeMessage(FORWARD_BACKWARD_REQUEST, from),
  );
  const { modelId, seqId, lossFn, forwardOnly } = request;
  return {
    modelId,
    seqId,
    data: request.data.map(({ modelInput, lossFnInputs }, index) => ({
      tokens: joinChunks(modelInput, `datum ${index}`, readImage),
      lossInputs: Object.fromEntries(
        [...lossFnInputs].map(([name, tensor]) => [
          name,
          decodeTensor(tensor, `${name} of datum ${index}`),
        ]),
      ),
    })),
    lossFn,
    lossConfig: decodeLossConfig(request),
    forwardOnly,
  };
}

export function encodeForwardBackwardOutput(result: ForwardBackwardResult): Uint8Array {
  const losses = result.outputs.flatMap((output) => output.losses ?? []);
  const fields = new Map([
    ["logprobs", encodeRows(result.outputs.map((output) => output.logprobs))],
  ]);
  if (losses.length > 0) fields.set("elementwise_loss", encodeRows(losses));
  return encodeMessage(FORWARD_BACKWARD_OUTPUT, {
    lossFnOutputType: "ArrayRecord",
    lossFnOutputs: [{ typeTag: "ArrayRecord", fields, numDatums: result.outputs.length }],
    metrics: new Map(Object.entries(result.metrics)),
  });
}

/**
 * Datums of all records in order.
 * @throws AppError `tinker-protocol` when log-probs are absent or the message is broken
 */
export function decodeForwardBackwardOutput(from: Uint8Array): ForwardBackwardResult {
  const { lossFnOutputs, metrics } = readMessage("forward_backward result", () =>
    decodeMessage(FORWARD_BACKWARD_OUTPUT, from),
  );
  return { outputs: lossFnOutputs.flatMap(recordOutputs), metrics: Object.fromEntries(metrics) };
}

function joinChunks(
  chunks: readonly Message<typeof CHUNK>[],
  where: string,
  readImage?: ImageReader,
): Int32Array {
  const parts = chunks.map(({ encodedText, image, dmel }) => {
    if (image !== undefined && readImage !== undefined) return readImage(image, where);
    if (encodedText !== undefined) {
      return bytesToInt32(encodedText.tokens, `the tokens of ${where}`);
    }
    const kind = image === undefined ? (dmel === undefined ? "none" : "dmel") : "image";
    throw malformedMessage(`${where} holds a chunk of kind ${kind}, not text`);
  });
  const tokens = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    tokens.set(part, offset);
    offset += part.length;
  }
  return tokens;
}

function encodeDatum({ tokens, images = [], lossInputs }: WireDatum): WrittenMessage<typeof DATUM> {
  const tensors = Object.entries(lossInputs).map(
    ([name, tensor]) => [name, encodeTensor(tensor)] as const,
  );
  return {
    modelInput: inputParts(tokens, images).map((part) =>
      part.kind === "text"
        ? { encodedText: { tokens: textBytes(tokens, part.run) } }
        : { image: imageChunk(part) },
    ),
    lossFnInputs: new Map(tensors),
  };
}

function textBytes(tokens: Int32Array, { start, end }: Run): Uint8Array {
  return int32ToBytes(tokens.subarray(start, end));
}

function imageChunk({ image, tokens }: Extract<InputPart, { kind: "image" }>) {
  return { data: image.bytes, format: image.format, expectedTokens: tokens };
}

/** The newer map wins; the older one fills in for clients that do not write the newer. */
function decodeLossConfig({
  lossFnConfig,
  lossFnConfigV2,
}: Message<typeof FORWARD_BACKWARD_REQUEST>): LossConfig {
  const config = new Map<string, number | string>(lossFnConfig);
  for (const [key, { number, text: own }] of lossFnConfigV2) {
    const value = number ?? own;
    if (value === undefined) throw malformedMessage(`loss_fn_config ${key} has no value`);
    config.set(key, value);
  }
  return Object.fromEntries(config);
}

function recordOutputs(record: Message<typeof ARRAY_RECORD>): readonly DatumOutput[] {
  const field = record.fields.get("logprobs");
  if (field === undefined) {
    if (record.numDatums === 0) return [];
    throw malformedMessage(`the result of ${record.numDatums} datums has no logprobs`);
  }
  const rows = decodeRows(field, "logprobs");
  if (record.numDatums !== 0 && rows.length !== record.numDatums) {
    throw malformedMessage(
      `the result of ${record.numDatums} datums has ${rows.length} logprob rows`,
    );
  }
  const losses = lossRows(record, rows.length);
  return rows.map((row, i) => ({
    logprobs: row instanceof Float32Array ? row : Float32Array.from(row),
    losses: losses === null ? undefined : Float32Array.from(losses[i] ?? []),
  }));
}

/** An extra of some servers, so that one that cannot be read counts as absent. */
function lossRows(
  record: Message<typeof ARRAY_RECORD>,
  count: number,
): ReturnType<typeof decodeRows> | null {
  const field = record.fields.get("elementwise_loss");
  if (field === undefined) return null;
  try {
    const rows = decodeRows(field, "elementwise_loss");
    return rows.length === count ? rows : null;
  } catch {
    return null;
  }
}
