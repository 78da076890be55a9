/** Reads the lines of a growing file piece by piece, so that its size does not matter. */

import { isJsonObject } from "../json.ts";
import type { FileSystem } from "../ports.ts";
import { type JsonLine, parseJsonLines } from "../util/jsonl.ts";

const CHUNK_BYTES = 1 << 20;

/**
 * Complete lines from byte `from` on, placed in the whole file; nothing when the file does not exist.
 * A half-written last line is left for a later read, which begins at `offset + length + 1` of the line got last.
 * Broken lines are passed over.
 */
export async function* readLines(
  fileSystem: FileSystem,
  path: string,
  from = 0,
): AsyncGenerator<JsonLine> {
  const size = (await fileSystem.size(path)) ?? 0;
  let offset = from;
  let chunkBytes = CHUNK_BYTES;
  while (offset < size) {
    const chunk = await fileSystem.readRange(path, offset, Math.min(chunkBytes, size - offset));
    const { lines, completeBytes } = parseJsonLines(chunk);
    for (const line of lines) yield { ...line, offset: offset + line.offset };
    if (completeBytes === 0 && offset + chunk.length >= size) return;
    if (chunk.length === 0) return;
    // A line longer than a chunk is read again with more room.
    chunkBytes = completeBytes === 0 ? chunkBytes * 2 : CHUNK_BYTES;
    offset += completeBytes;
  }
}

/** The whole number under `step` in a line, or null. */
export function stepOfLine(value: unknown): number | null {
  if (!isJsonObject(value)) return null;
  const { step } = value;
  return typeof step === "number" && Number.isInteger(step) ? step : null;
}
