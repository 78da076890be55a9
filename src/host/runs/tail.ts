/** Follows a text file that another process writes. */

import { StringDecoder } from "node:string_decoder";
import type { FolderFiles } from "../../core/ports.ts";
import { tryWatch } from "../../server/runs/tryWatch.ts";

/** File systems that report no changes are read this often. */
const ASK_MS = 1_000;
const CHUNK_BYTES = 64 * 1024;
/** Far more than a terminal keeps. */
const MAX_BEHIND_BYTES = 16 * 1024 * 1024;

export interface Tail {
  /** Reads what is there once more, then stops. Resolves when everything was handed over. */
  finish(): Promise<void>;
}

/**
 * Hands over the text of `path` from its beginning, chunk by chunk, and what is added as it comes. Of a file that is far ahead of
 * its reader, only the end; `…` stands for what was left out.
 */
export function tailFile(files: FolderFiles, path: string, onText: (text: string) => void): Tail {
  const decoder = new StringDecoder("utf8");
  let offset = 0;
  let reading: Promise<void> = Promise.resolve();
  const read = async (): Promise<void> => {
    const size = (await files.size(path).catch(() => null)) ?? 0;
    if (size - offset > MAX_BEHIND_BYTES) {
      offset = size - MAX_BEHIND_BYTES;
      onText("…\n");
    }
    for (;;) {
      const bytes = await files.readRange(path, offset, CHUNK_BYTES).catch(() => null);
      if (bytes === null || bytes.length === 0) return;
      offset += bytes.length;
      onText(decoder.write(bytes));
    }
  };
  const again = (): void => {
    reading = reading.then(read, read);
  };
  const watcher = tryWatch(path, again);
  const timer = setInterval(again, ASK_MS);
  const close = (): void => {
    clearInterval(timer);
    watcher?.close();
  };
  again();
  return {
    finish: async () => {
      close();
      again();
      await reading;
    },
  };
}
