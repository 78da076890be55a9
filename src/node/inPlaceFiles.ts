/**
 * A folder's files for a thread with nothing else to do: reads ranges and sizes synchronously. Node hands all other file operations to a
 * thread pool, which takes ten times as long as reading a small file.
 */

import { closeSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FolderFiles } from "../core/ports.ts";
import { openConfined, statConfined } from "./confinement.ts";
import { createFileSystem, reading } from "./fileSystem.ts";
import { OpenedPlace } from "./openedPlace.ts";

/** Yields to the event loop after this many bytes; otherwise memory of earlier reads is not freed, because that takes loop turns. */
const BYTES_PER_TURN = 2 * 1024 * 1024;

/** All other operations and errors are as in `createFileSystem().within(folder)`. */
export function inPlaceFiles(folder: string): FolderFiles {
  const place = new OpenedPlace(folder);
  let bytesInTurn = 0;
  return {
    ...createFileSystem().within(folder),
    size: (path) => reading(path, async () => statConfined(folder, path)?.size ?? null),
    readRange: (path, offset, length) =>
      reading(path, async () => {
        bytesInTurn += length;
        if (bytesInTurn > BYTES_PER_TURN) {
          bytesInTurn = 0;
          await nextTurn();
        }
        const file = openConfined(folder, path, place);
        try {
          return readUpTo(file, length, offset);
        } finally {
          closeSync(file);
        }
      }),
  };
}

function readUpTo(file: number, length: number, offset: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, bytes, filled, length - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
