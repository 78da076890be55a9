/** Whether a path leads to a folder. */

import { stat } from "node:fs/promises";

/** Whether `path` is a folder; false if it does not exist or cannot be accessed. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
