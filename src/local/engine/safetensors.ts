/** Float tensors as safetensors files in memory. */

import { AppError } from "../../core/errors.ts";
import { concatBytes } from "../../core/util/concatBytes.ts";
import { FLOAT_BYTES, fromFloats, toFloats } from "../../core/weights/floats.ts";
import {
  decodeSafetensorsHeader,
  encodeSafetensorsHeader,
  type StoredTensor,
} from "../../core/weights/safetensors.ts";

export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface Safetensors {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Reads F32 and F16 tensors (F16 is widened). @throws AppError `safetensors-invalid` */
export function decodeSafetensors(bytes: Uint8Array): Safetensors {
  const header = decodeSafetensorsHeader(bytes);
  if (typeof header === "string") throw invalid(header);
  const tensors = Array.from(header.tensors, ([name, stored]) => {
    return [name, readTensor(name, stored, bytes)] as const;
  });
  return { tensors: new Map(tensors), metadata: header.metadata };
}

function readTensor(name: string, stored: StoredTensor, bytes: Uint8Array): Tensor {
  const { dtype, shape, begin, end } = stored;
  if (dtype !== "F32" && dtype !== "F16") throw invalid(`tensor ${name} has the type ${dtype}`);
  const length = shape.reduce((product, size) => product * size, 1);
  if (end - begin !== length * FLOAT_BYTES[dtype]) {
    throw invalid(`tensor ${name} does not fit its shape`);
  }
  return { shape, data: toFloats(bytes.subarray(begin, end), dtype) };
}

function invalid(why: string): AppError {
  return new AppError(
    "safetensors-invalid",
    `This is not a safetensors file that can be read: ${why}.`,
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
