/** Watches a file or folder, if its file system supports it. */

import { type FSWatcher, type WatchListener, watch } from "node:fs";

/** Null if watching is not possible; a watcher that breaks later is silent. */
export function tryWatch(path: string, onChange: WatchListener<string>): FSWatcher | null {
  try {
    return watch(path, onChange).on("error", () => undefined);
  } catch {
    return null;
  }
}
