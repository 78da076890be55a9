/** Writes a safetensors file tensor by tensor, so that none of it has to be held as a whole. */

import type { FileSystem } from "../ports.ts";
import type { FileProgress } from "./fetchPart.ts";
import { encodeSafetensorsHeader, type TensorLayout } from "./safetensorsHeader.ts";

export interface WrittenTensor extends TensorLayout {
  /** The data in its order, `bytes` in all. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

export interface WriteOptions {
  readonly files: Pick<FileSystem, "append" | "remove" | "rename">;
  readonly metadata: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FileProgress) => void) | undefined;
}

/** Writes `PATH.part`, which gets its name when it is complete. @throws AppError `disk`; the reason of `signal`; what a piece throws */
export async function writeSafetensors(
  path: string,
  tensors: readonly WrittenTensor[],
  { files, metadata, signal, onProgress }: WriteOptions,
): Promise<void> {
  const part = `${path}.part`;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const head = encodeSafetensorsHeader(tensors, metadata);
  const totalBytes = tensors.reduce((sum, { bytes }) => sum + bytes, head.length);
  let receivedBytes = head.length;
  await files.remove(part);
  await files.append(part, head);
  for (const { pieces } of tensors) {
    for await (const piece of pieces()) {
      signal?.throwIfAborted();
      await files.append(part, piece);
      receivedBytes += piece.length;
      onProgress?.({ name, receivedBytes, totalBytes });
    }
  }
  await files.rename(part, path);
}
