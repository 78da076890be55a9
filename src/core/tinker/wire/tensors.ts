/** Converts number arrays to and from the raw little-endian buffers of the Tinker wire. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { malformedMessage } from "../transport/errors.ts";
import { type BatchedTensor, DType, type Tensor, type TensorSchema } from "./tinker_pb.ts";

/** An array with its shape; integers are sent as int64, floats as float32. */
export interface WireTensor {
  readonly values: Int32Array | Float32Array;
  readonly shape: readonly number[];
}

/** A one-dimensional tensor over `values`. */
export function vector(values: Int32Array | Float32Array): WireTensor {
  return { values, shape: [values.length] };
}

/** Encodes a dense tensor; clients send only FLOAT32 or INT64. */
export function encodeTensor(tensor: WireTensor): MessageInitShape<typeof TensorSchema> {
  const { values } = tensor;
  const isFloat = values instanceof Float32Array;
  return {
    data: { case: "dense", value: isFloat ? float32ToBytes(values) : int64ToBytes(values) },
    dtype: isFloat ? DType.FLOAT32 : DType.INT64,
    shape: tensor.shape.map(BigInt),
  };
}

/**
 * Reads a dense tensor of any dtype; INT64 values must fit in 32 bits, BFLOAT16 is widened to float32.
 * @throws AppError `tinker-protocol` for a sparse tensor or a shape that does not match the data
 */
export function decodeTensor(message: Tensor, what: string): WireTensor {
  if (message.data.case !== "dense") {
    throw malformedMessage(`${what} is not a dense tensor; this program reads dense tensors only`);
  }
  const values = decodeElements(message.data.value, message.dtype, what);
  const shape = message.shape.map(Number);
  if (shape.reduce((product, axis) => product * axis, 1) !== values.length) {
    throw malformedMessage(`${what} has shape [${shape.join(", ")}] but ${values.length} elements`);
  }
  return { values, shape };
}

/** Packs the rows of all datums into one batched tensor with byte offsets. */
export function encodeRows(rows: readonly Float32Array[]): Omit<BatchedTensor, "$typeName"> {
  const offsets = [0];
  for (const row of rows) offsets.push((offsets.at(-1) ?? 0) + row.byteLength);
  const flat = new Float32Array((offsets.at(-1) ?? 0) / Float32Array.BYTES_PER_ELEMENT);
  rows.forEach((row, index) => {
    flat.set(row, (offsets[index] ?? 0) / Float32Array.BYTES_PER_ELEMENT);
  });
  return {
    data: float32ToBytes(flat),
    offsets: int64ToBytes(offsets),
    dtype: DType.FLOAT32,
    trailingShape: [],
  };
}

/**
 * Rows of a batched tensor as flat arrays, one per datum.
 * @throws AppError `tinker-protocol` if the offsets do not cover the data exactly
 */
export function decodeRows(
  message: BatchedTensor,
  what: string,
): readonly (Int32Array | Float32Array)[] {
  const offsets = bytesToInt64(message.offsets, what);
  if (offsets[0] !== 0 || offsets.at(-1) !== message.data.byteLength) {
    throw malformedMessage(
      `the offsets of ${what} do not cover its ${message.data.byteLength} bytes`,
    );
  }
  return Array.from(offsets.subarray(1), (end, index) => {
    const start = offsets[index] ?? 0;
    if (end < start) throw malformedMessage(`the offsets of ${what} are out of order`);
    return decodeElements(message.data.subarray(start, end), message.dtype, what);
  });
}

/** int32 little-endian. */
export function int32ToBytes(values: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (let i = 0; i < values.length; i++) view.setInt32(i * 4, values[i] ?? 0, true);
  return new Uint8Array(view.buffer);
}

/** float32 little-endian. */
export function float32ToBytes(values: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (let i = 0; i < values.length; i++) view.setFloat32(i * 4, values[i] ?? 0, true);
  return new Uint8Array(view.buffer);
}

/** int64 little-endian from integers of at most 32 bits. */
function int64ToBytes(values: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 8));
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    view.setInt32(i * 8, value, true);
    view.setInt32(i * 8 + 4, value < 0 ? -1 : 0, true);
  }
  return new Uint8Array(view.buffer);
}

/** @throws AppError `tinker-protocol` if the length is not a multiple of 4 */
export function bytesToInt32(bytes: Uint8Array, what: string): Int32Array {
  const view = elements(bytes, 4, what);
  const values = new Int32Array(bytes.byteLength / 4);
  for (let i = 0; i < values.length; i++) values[i] = view.getInt32(i * 4, true);
  return values;
}

/** @throws AppError `tinker-protocol` if the length is not a multiple of 4 */
export function bytesToFloat32(bytes: Uint8Array, what: string): Float32Array {
  const view = elements(bytes, 4, what);
  const values = new Float32Array(bytes.byteLength / 4);
  for (let i = 0; i < values.length; i++) values[i] = view.getFloat32(i * 4, true);
  return values;
}

/** @throws AppError `tinker-protocol` if the length is not a multiple of 8 or a value exceeds 32 bits */
function bytesToInt64(bytes: Uint8Array, what: string): Int32Array {
  const view = elements(bytes, 8, what);
  const values = new Int32Array(bytes.byteLength / 8);
  for (let i = 0; i < values.length; i++) {
    const low = view.getInt32(i * 8, true);
    if (view.getInt32(i * 8 + 4, true) !== low >> 31) {
      throw malformedMessage(`${what} holds an integer beyond 32 bits at position ${i}`);
    }
    values[i] = low;
  }
  return values;
}

function decodeElements(bytes: Uint8Array, dtype: DType, what: string): Int32Array | Float32Array {
  switch (dtype) {
    case DType.FLOAT32:
      return bytesToFloat32(bytes, what);
    case DType.INT64:
      return bytesToInt64(bytes, what);
    case DType.INT32:
      return bytesToInt32(bytes, what);
    case DType.BFLOAT16:
      return bytesToBfloat16(bytes, what);
    default:
      throw malformedMessage(`${what} has the unknown element type ${dtype}`);
  }
}

/** bfloat16 is the upper half of a float32. */
function bytesToBfloat16(bytes: Uint8Array, what: string): Float32Array {
  const view = elements(bytes, 2, what);
  const bits = new Uint32Array(bytes.byteLength / 2);
  for (let i = 0; i < bits.length; i++) bits[i] = view.getUint16(i * 2, true) << 16;
  return new Float32Array(bits.buffer);
}

function elements(bytes: Uint8Array, size: number, what: string): DataView {
  if (bytes.byteLength % size !== 0) {
    throw malformedMessage(`${what} has ${bytes.byteLength} bytes, not a multiple of ${size}`);
  }
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
