/** Reads the lines of a growing file in chunks, so that the file may have any size. */

import { isJsonObject } from "../../json.ts";
import type { FolderFiles } from "../../ports.ts";
import { type FoundLine, findJsonLines } from "../../util/jsonl.ts";

const CHUNK_BYTES = 256 * 1024;
/** Per read, so that other work gets a turn even if lines are short. */
const LINES_PER_READ = 1_000;
/** Longer than any line a run writes. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Anything beyond this offset is not read. */
export const MAX_FILE_BYTES = 4 * 1024 ** 3;

/**
 * Complete lines from byte `from` on, with offsets relative to the whole file; none if the file does not exist. A half-written
 * last line is left for a later read, which starts at `offset + length + 1` of the last line returned. An unreadable line has an
 * undefined value; each chunk of an overlong line counts as one such line.
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
    // A line longer than the chunk: read it again with a larger one.
    else chunkBytes *= 2;
  }
}

/** The value's `step` if it is a valid step number, else null. */
export function stepOfLine(value: unknown): number | null {
  if (!isJsonObject(value)) return null;
  const { step } = value;
  return typeof step === "number" && Number.isSafeInteger(step) && step >= 0 ? step : null;
}
