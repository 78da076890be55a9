/** The safetensors container: an 8-byte header length, a JSON header, raw little-endian tensors. */

import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import { concatBytes } from "../../core/util/concatBytes.ts";
import { FLOAT_BYTES, fromFloats, toFloats } from "../../core/weights/floats.ts";
import { encodeSafetensorsHeader } from "../../core/weights/safetensors.ts";

export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface Safetensors {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

const tensorSchema = z.object({
  dtype: z.enum(["F32", "F16"]),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});

const headerSchema = z
  .object({ __metadata__: z.record(z.string(), z.string()).default({}) })
  .catchall(tensorSchema);

const MAX_HEADER_BYTES = 16 * 1024 * 1024;

/** Reads F32 and F16 tensors (F16 is widened). @throws AppError `safetensors-invalid` */
export function decodeSafetensors(bytes: Uint8Array): Safetensors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 8) throw invalid("it is shorter than its header");
  const headerLength = Number(view.getBigUint64(0, true));
  const start = 8 + headerLength;
  if (headerLength > MAX_HEADER_BYTES || start > bytes.byteLength) {
    throw invalid("its header is cut off");
  }
  const { __metadata__: metadata, ...entries } = parseHeader(bytes.subarray(8, start));
  const body = bytes.subarray(start);
  const tensors = new Map(
    Object.entries(entries).map(([name, entry]) => [name, readTensor(name, entry, body)] as const),
  );
  return { tensors, metadata };
}

function readTensor(name: string, entry: z.infer<typeof tensorSchema>, body: Uint8Array): Tensor {
  const { dtype, shape } = entry;
  const [from, to] = entry.data_offsets;
  const length = shape.reduce((product, size) => product * size, 1);
  if (to - from !== length * FLOAT_BYTES[dtype] || to > body.byteLength) {
    throw invalid(`tensor ${name} does not fit its shape`);
  }
  return { shape, data: toFloats(body.subarray(from, to), dtype) };
}

function parseHeader(bytes: Uint8Array): z.infer<typeof headerSchema> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw invalid("its header is not JSON", cause);
  }
  const parsed = headerSchema.safeParse(json);
  if (!parsed.success) throw invalid("its header has another form");
  return parsed.data;
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError(
    "safetensors-invalid",
    `This is not a safetensors file that can be read: ${why}.`,
    {
      cause,
    },
  );
}

/** Writes tensors in map order as 32-bit or 16-bit floats. */
export function encodeSafetensors(
  { tensors, metadata }: Safetensors,
  dtype: "F32" | "F16",
): Uint8Array {
  const layout = Array.from(tensors, ([name, { shape, data }]) => {
    return { name, dtype, shape, bytes: data.length * FLOAT_BYTES[dtype] };
  });
  const data = Array.from(tensors.values(), (tensor) => fromFloats(tensor.data, dtype));
  return concatBytes([encodeSafetensorsHeader(layout, metadata), ...data]);
}
