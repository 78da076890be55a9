/** Watches a file or folder as far as its file system reports changes. */

import { type FSWatcher, watch } from "node:fs";

/** Null where nothing can be watched; a watch that breaks is silent. */
export function tryWatch(path: string, onChange: () => void): FSWatcher | null {
  try {
    return watch(path, onChange).on("error", () => undefined);
  } catch {
    return null;
  }
}
