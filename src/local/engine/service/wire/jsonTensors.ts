/** Tokens and tensors of JSON bodies as typed arrays. */

import type { WireTensor } from "../../../../core/tinker/wire/tensors.ts";
import type { EngineModel } from "../../engine.ts";
import { userFault } from "../http/faults.ts";
import { imageReader } from "./imageChunk.ts";
import { imageChunk, type ModelInputJson, type TensorDataJson } from "./schemas.ts";

/**
 * Token ids of an input, including those that represent images.
 * @throws AppError `invalid-request` for unsupported images, audio, and ids that are not 32-bit integers; ZodError
 */
export function readTokens(input: ModelInputJson, model: EngineModel, what: string): Int32Array {
  const ids = input.chunks.flatMap((chunk) => {
    if (chunk.type === "encoded_text") return readIntegers(chunk["tokens"], what);
    if (chunk.type === "image") return [...imageReader(model, what)(imageChunk.parse(chunk))];
    throw userFault(
      `${what}: chunks of type ${chunk.type} are not supported, only encoded_text and image.`,
    );
  });
  return Int32Array.from(ids);
}

/** @throws AppError `invalid-request` for sparse tensors, integers beyond 32 bits, and mismatched shapes */
export function readTensor(tensor: TensorDataJson, what: string): WireTensor {
  if (tensor.sparse_crow_indices) {
    throw userFault(`${what}: sparse tensors are not supported; send it dense.`);
  }
  const shape = tensor.shape ?? [tensor.data.length];
  if (shape.reduce((product, axis) => product * axis, 1) !== tensor.data.length) {
    throw userFault(`${what} has shape [${shape.join(", ")}] but ${tensor.data.length} elements.`);
  }
  const values =
    tensor.dtype === "int64"
      ? Int32Array.from(readIntegers(tensor.data, what))
      : Float32Array.from(tensor.data);
  return { values, shape };
}

function readIntegers(values: unknown, what: string): readonly number[] {
  if (!Array.isArray(values)) throw userFault(`${what} is not a list of integers.`);
  return values.map((value: unknown) => {
    if (typeof value !== "number" || (value | 0) !== value) {
      throw userFault(`${what}: ${String(value)} is not an integer of 32 bits.`);
    }
    return value;
  });
}
