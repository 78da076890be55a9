/** Whether a path leads to a folder. */

import { stat } from "node:fs/promises";

/** False for what is not there or cannot be looked at. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
