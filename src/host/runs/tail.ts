/** Follows a text file that another process writes. */

import { StringDecoder } from "node:string_decoder";
import type { FolderFiles } from "../../core/ports.ts";
import { tryWatch } from "../../server/runs/tryWatch.ts";

/** Polling interval, for file systems that report no changes. */
const ASK_MS = 1_000;
const CHUNK_BYTES = 64 * 1024;
/** Far more than a terminal retains. */
const MAX_BEHIND_BYTES = 16 * 1024 * 1024;

export interface Tail {
  /** Reads the remaining text, then stops. Resolves when everything was passed on. */
  finish(): Promise<void>;
}

/**
 * Passes on the text of `path` from the beginning, in chunks, and then what is appended. If the file is far ahead of the reader, only its
 * end; `…` marks the omission.
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
