/** Number arrays to and from the raw little-endian buffers of the Tinker wire. */

import {
  bytes,
  field,
  integer,
  type Message,
  optional,
  repeated,
  type WrittenMessage,
} from "../../util/protobuf.ts";
import { malformedMessage } from "../transport/errors.ts";

export const DTYPE = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;

/** One array; without `dense` it is sparse. */
export const TENSOR = {
  dense: optional(1, bytes),
  dtype: field(3, integer),
  shape: repeated(4, integer),
};

/** The arrays of many datums. */
export const BATCHED_TENSOR = {
  /** The values of all datums, one after the other. */
  data: field(1, bytes),
  /** int64 array of byte offsets, one more than there are datums, the first 0. */
  offsets: field(2, bytes),
  dtype: field(3, integer),
};

/** An array with its axes: integers travel as int64, floats as float32. */
export interface WireTensor {
  readonly values: Int32Array | Float32Array;
  readonly shape: readonly number[];
}

/** A one-dimensional tensor over `values`. */
export function vector(values: Int32Array | Float32Array): WireTensor {
  return { values, shape: [values.length] };
}

/** Dense message form of a tensor; clients send FLOAT32 or INT64 only. */
export function encodeTensor({ values, shape }: WireTensor): WrittenMessage<typeof TENSOR> {
  return values instanceof Float32Array
    ? { dense: float32ToBytes(values), dtype: DTYPE.float32, shape }
    : { dense: int64ToBytes(values), dtype: DTYPE.int64, shape };
}

/**
 * Reads a dense tensor of any dtype; INT64 must fit in 32 bits, BFLOAT16 widens to float32.
 * @throws AppError `tinker-protocol` for a sparse tensor or a shape that does not match the data
 */
export function decodeTensor(
  { dense, dtype, shape }: Message<typeof TENSOR>,
  what: string,
): WireTensor {
  if (dense === undefined) {
    throw malformedMessage(`${what} is not a dense tensor; this program reads dense tensors only`);
  }
  const values = decodeElements(dense, dtype, what);
  if (shape.reduce((product, axis) => product * axis, 1) !== values.length) {
    throw malformedMessage(`${what} has shape [${shape.join(", ")}] but ${values.length} elements`);
  }
  return { values, shape };
}

/** One batched tensor over the rows of all datums, with byte offsets. */
export function encodeRows(rows: readonly Float32Array[]): WrittenMessage<typeof BATCHED_TENSOR> {
  const offsets = [0];
  for (const row of rows) offsets.push((offsets.at(-1) ?? 0) + row.byteLength);
  const flat = new Float32Array((offsets.at(-1) ?? 0) / Float32Array.BYTES_PER_ELEMENT);
  rows.forEach((row, index) => {
    flat.set(row, (offsets[index] ?? 0) / Float32Array.BYTES_PER_ELEMENT);
  });
  return { data: float32ToBytes(flat), offsets: int64ToBytes(offsets), dtype: DTYPE.float32 };
}

/**
 * Rows of a batched tensor as flat arrays, one for each datum.
 * @throws AppError `tinker-protocol` when the offsets do not tile the data
 */
export function decodeRows(
  message: Message<typeof BATCHED_TENSOR>,
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

/** @throws AppError `tinker-protocol` for a ragged length */
export function bytesToInt32(bytes: Uint8Array, what: string): Int32Array {
  const view = elements(bytes, 4, what);
  const values = new Int32Array(bytes.byteLength / 4);
  for (let i = 0; i < values.length; i++) values[i] = view.getInt32(i * 4, true);
  return values;
}

/** @throws AppError `tinker-protocol` for a ragged length */
export function bytesToFloat32(bytes: Uint8Array, what: string): Float32Array {
  const view = elements(bytes, 4, what);
  const values = new Float32Array(bytes.byteLength / 4);
  for (let i = 0; i < values.length; i++) values[i] = view.getFloat32(i * 4, true);
  return values;
}

/** @throws AppError `tinker-protocol` for a ragged length or a value beyond 32 bits */
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

function decodeElements(bytes: Uint8Array, dtype: number, what: string): Int32Array | Float32Array {
  switch (dtype) {
    case DTYPE.float32:
      return bytesToFloat32(bytes, what);
    case DTYPE.int64:
      return bytesToInt64(bytes, what);
    case DTYPE.int32:
      return bytesToInt32(bytes, what);
    case DTYPE.bfloat16:
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
