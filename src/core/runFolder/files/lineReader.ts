/** Reads the lines of a growing file piece by piece, so that its size does not matter. */

import { isJsonObject } from "../../json.ts";
import type { FolderFiles } from "../../ports.ts";
import { type FoundLine, findJsonLines } from "../../util/jsonl.ts";

const CHUNK_BYTES = 256 * 1024;
/** Between two reads, so that other work continues however short the lines are. */
const LINES_PER_READ = 1_000;
/** Longer than any line that a run writes. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** What lies behind in a file is not read. */
const MAX_FILE_BYTES = 4 * 1024 ** 3;

/**
 * Complete lines from byte `from` on, placed in the whole file; nothing when the file does not exist.
 * A half-written last line is left for a later read, which begins at `offset + length + 1` of the line got last.
 * A line that cannot be read has no value; of one that is too long each piece counts as such a line.
 */
export async function* readLines(
  fileSystem: FolderFiles,
  path: string,
  from = 0,
): AsyncGenerator<FoundLine> {
  const size = Math.min((await fileSystem.size(path)) ?? 0, MAX_FILE_BYTES);
  let offset = from;
  let chunkBytes = CHUNK_BYTES;
  while (offset < size) {
    const chunk = await fileSystem.readRange(path, offset, Math.min(chunkBytes, size - offset));
    if (chunk.length === 0) return;
    const { lines, completeBytes } = findJsonLines(chunk, LINES_PER_READ);
    for (const line of lines) yield { ...line, offset: offset + line.offset };
    if (completeBytes > 0) {
      offset += completeBytes;
      chunkBytes = CHUNK_BYTES;
    } else if (chunk.length >= MAX_LINE_BYTES) {
      yield { value: undefined, offset, length: chunk.length - 1 };
      offset += chunk.length;
    } else if (offset + chunk.length >= size) return;
    // A line longer than a chunk is read again with more room.
    else chunkBytes *= 2;
  }
}

/** The number of a step under `step` in a line, or null. */
export function stepOfLine(value: unknown): number | null {
  if (!isJsonObject(value)) return null;
  const { step } = value;
  return typeof step === "number" && Number.isSafeInteger(step) && step >= 0 ? step : null;
}
