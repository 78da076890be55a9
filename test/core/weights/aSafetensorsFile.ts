import { encodeSafetensors } from "../../../src/local/engine/safetensors.ts";

/** A file with one tensor of `length` numbers. */
export function aSafetensorsFile(length = 8): Uint8Array {
  const tensor = { shape: [length], data: Float32Array.from({ length }, (_, i) => i / 8) };
  return encodeSafetensors({ tensors: new Map([["a", tensor]]), metadata: {} }, "F32");
}
