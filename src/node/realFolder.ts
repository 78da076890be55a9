/** Canonical folder paths. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";

/** The real path of `folder`, or its absolute path if it does not exist. */
export async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}
