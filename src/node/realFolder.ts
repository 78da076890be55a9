/** One name for a folder, however it is reached. */

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";

/** The real path of `folder`; what is not there keeps the name that it has. */
export async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}
