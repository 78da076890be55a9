/** The binary messages of `forward_backward` as plain types, and their encoding in both directions. */

import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import type { ImageFile } from "../../images/imageFile.ts";
import type { Run } from "../../images/imageIds.ts";
import { malformedMessage } from "../transport/errors.ts";
import { type InputPart, inputParts } from "./modelInput.ts";
import { readMessage } from "./readMessage.ts";
import {
  bytesToInt32,
  decodeRows,
  decodeTensor,
  encodeRows,
  encodeTensor,
  int32ToBytes,
  type WireTensor,
} from "./tensors.ts";
import {
  type ArrayRecord,
  type Chunk,
  type DatumSchema,
  ForwardBackwardOutputSchema,
  type ForwardBackwardRequest,
  ForwardBackwardRequestSchema,
  type ImageChunk,
  type LossConfigValueSchema,
  type ProvenanceSpanSchema,
} from "./tinker_pb.ts";

export type LossConfig = Readonly<Record<string, number | string>>;

/** Consecutive tokens that are in one sampled sequence from `offset` on, or in the prompt of its request. */
export interface SequenceSpan {
  readonly kind: "prompt" | "sampled";
  readonly sequenceId: string;
  readonly offset: number;
  readonly length: number;
}

/** Where the tokens of a datum come from; both lists cover their tokens in order: `docs/protocols/tinker.md#provenance`. */
export interface Provenance {
  readonly input: readonly SequenceSpan[];
  readonly targets: readonly SequenceSpan[];
}

/** Tokens and the loss's arrays, aligned with them. */
export interface WireDatum {
  /** Token ids; negative ones refer to `images`, see `imageIds.ts`. */
  readonly tokens: Int32Array;
  /** The rollout's images; absent = none. */
  readonly images?: readonly ImageFile[] | undefined;
  readonly lossInputs: Readonly<Record<string, WireTensor>>;
  readonly provenance?: Provenance | undefined;
}

export interface ForwardBackwardCall {
  readonly modelId: string;
  readonly seqId: number;
  readonly data: readonly WireDatum[];
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly forwardOnly: boolean;
}

/** Result for one datum: the log-probability of each target under the current weights. */
export interface DatumOutput {
  readonly logprobs: Float32Array;
  /** The loss of each target, if the server reports it. */
  readonly losses?: Float32Array | undefined;
}

export interface ForwardBackwardResult {
  readonly outputs: readonly DatumOutput[];
  /** Named `name:reduction`, for example `loss:sum`. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Numbers of the loss config are written to both maps, texts only to the newer one: `docs/protocols/tinker.md#forward_backward`. */
export function encodeForwardBackwardRequest(call: ForwardBackwardCall): Uint8Array {
  const lossFnConfig: Record<string, number> = {};
  const lossFnConfigV2: Record<string, MessageInitShape<typeof LossConfigValueSchema>> = {};
  for (const [key, value] of Object.entries(call.lossConfig)) {
    if (typeof value === "number") lossFnConfig[key] = value;
    lossFnConfigV2[key] =
      typeof value === "number"
        ? { value: { case: "number", value } }
        : { value: { case: "text", value } };
  }
  const message = create(ForwardBackwardRequestSchema, {
    modelId: call.modelId,
    seqId: call.seqId,
    data: call.data.map(encodeDatum),
    lossFn: call.lossFn,
    lossFnConfig,
    forwardOnly: call.forwardOnly,
    lossFnConfigV2,
  });
  return toBinary(ForwardBackwardRequestSchema, message);
}

export type WireImage = Pick<ImageChunk, "data" | "format" | "expectedTokens">;

/** Returns the ids that represent an image; `where` names its datum for messages. */
export type ImageReader = (image: WireImage, where: string) => Int32Array;

/**
 * Decodes a request, joining chunks and ignoring provenance spans. Without `readImage`, images are rejected.
 * @throws AppError `tinker-protocol` for malformed bytes, images, audio and sparse tensors; whatever `readImage` throws
 */
export function decodeForwardBackwardRequest(
  bytes: Uint8Array,
  readImage?: ImageReader,
): ForwardBackwardCall {
  const message = readMessage("forward_backward request", () =>
    fromBinary(ForwardBackwardRequestSchema, bytes),
  );
  return {
    modelId: message.modelId,
    seqId: message.seqId,
    data: message.data.map((datum, index) => ({
      tokens: joinChunks(datum.modelInput, `datum ${index}`, readImage),
      lossInputs: mapValues(datum.lossFnInputs, (tensor, name) =>
        decodeTensor(tensor, `${name} of datum ${index}`),
      ),
    })),
    lossFn: message.lossFn,
    lossConfig: decodeLossConfig(message),
    forwardOnly: message.forwardOnly,
  };
}

export function encodeForwardBackwardOutput(result: ForwardBackwardResult): Uint8Array {
  const losses = result.outputs.flatMap((output) => output.losses ?? []);
  const message = create(ForwardBackwardOutputSchema, {
    lossFnOutputType: "ArrayRecord",
    lossFnOutputs: [
      {
        typeTag: "ArrayRecord",
        fields: withoutUndefined({
          logprobs: encodeRows(result.outputs.map((output) => output.logprobs)),
          elementwise_loss: losses.length > 0 ? encodeRows(losses) : undefined,
        }),
        numDatums: BigInt(result.outputs.length),
      },
    ],
    metrics: result.metrics,
  });
  return toBinary(ForwardBackwardOutputSchema, message);
}

/**
 * Decodes the datums of all records, in order.
 * @throws AppError `tinker-protocol` if log-probs are missing or the message is malformed
 */
export function decodeForwardBackwardOutput(bytes: Uint8Array): ForwardBackwardResult {
  const message = readMessage("forward_backward result", () =>
    fromBinary(ForwardBackwardOutputSchema, bytes),
  );
  return { outputs: message.lossFnOutputs.flatMap(recordOutputs), metrics: message.metrics };
}

function joinChunks(chunks: readonly Chunk[], where: string, readImage?: ImageReader): Int32Array {
  const parts = chunks.map(({ chunk }) => {
    if (chunk.case === "image" && readImage !== undefined) return readImage(chunk.value, where);
    if (chunk.case !== "encodedText") {
      throw malformedMessage(`${where} holds a chunk of kind ${chunk.case ?? "none"}, not text`);
    }
    return bytesToInt32(chunk.value.tokens, `the tokens of ${where}`);
  });
  const tokens = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    tokens.set(part, offset);
    offset += part.length;
  }
  return tokens;
}

function encodeDatum(datum: WireDatum): MessageInitShape<typeof DatumSchema> {
  return {
    modelInput: inputParts(datum.tokens, datum.images ?? []).map((part) => ({
      chunk:
        part.kind === "text"
          ? { case: "encodedText", value: { tokens: textBytes(datum.tokens, part.run) } }
          : { case: "image", value: imageChunk(part) },
    })),
    lossFnInputs: mapValues(datum.lossInputs, encodeTensor),
    modelInputSpans: encodeSpans(datum.provenance?.input),
    lossFnInputSpans: encodeSpans(datum.provenance?.targets),
  };
}

function encodeSpans(
  spans: readonly SequenceSpan[] = [],
): MessageInitShape<typeof ProvenanceSpanSchema>[] {
  return spans.map(({ kind, sequenceId, offset, length }) => {
    const value = { sequenceId, offset: BigInt(offset), length: BigInt(length) };
    return { span: { case: kind === "prompt" ? "promptTokens" : "sampledTokens", value } };
  });
}

function textBytes(tokens: Int32Array, { start, end }: Run): Uint8Array {
  return int32ToBytes(tokens.subarray(start, end));
}

function imageChunk({ image, tokens }: Extract<InputPart, { kind: "image" }>) {
  return { data: image.bytes, format: image.format, expectedTokens: tokens };
}

/** The newer map wins; the older one supports clients that do not write the newer. */
function decodeLossConfig(message: ForwardBackwardRequest): LossConfig {
  const config: Record<string, number | string> = { ...message.lossFnConfig };
  for (const [key, { value }] of Object.entries(message.lossFnConfigV2)) {
    if (value.case === undefined) throw malformedMessage(`loss_fn_config ${key} has no value`);
    config[key] = value.value;
  }
  return config;
}

function recordOutputs(record: ArrayRecord): readonly DatumOutput[] {
  const field = record.fields["logprobs"];
  if (field === undefined) {
    if (record.numDatums === 0n) return [];
    throw malformedMessage(`the result of ${record.numDatums} datums has no logprobs`);
  }
  const rows = decodeRows(field, "logprobs");
  if (record.numDatums !== 0n && rows.length !== Number(record.numDatums)) {
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

/** Only some servers send this, so unreadable rows count as absent. */
function lossRows(record: ArrayRecord, count: number): ReturnType<typeof decodeRows> | null {
  const field = record.fields["elementwise_loss"];
  if (field === undefined) return null;
  try {
    const rows = decodeRows(field, "elementwise_loss");
    return rows.length === count ? rows : null;
  } catch {
    return null;
  }
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value, key)]),
  );
}
