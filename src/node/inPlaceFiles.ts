/**
 * Files of a folder for a thread that has nothing else to do: ranges and sizes are read while it waits. Node hands every other operation
 * on a file to further threads, and for a small file that takes ten times as long as to read it.
 */

import { closeSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FolderFiles } from "../core/ports.ts";
import { openConfined, statConfined } from "./confinement.ts";
import { createFileSystem, reading } from "./fileSystem.ts";
import { OpenedPlace } from "./openedPlace.ts";

/** After this much the event loop continues: else the memory of what was read before is kept, as its collection takes turns of the loop. */
const BYTES_PER_TURN = 2 * 1024 * 1024;

/** Everything else is as `createFileSystem().within(folder)` does it; so are the faults. */
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
