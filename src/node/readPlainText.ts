/** Reads files for callers that tolerate missing or unreadable ones. */

import { createFileSystem } from "./fileSystem.ts";

const files = createFileSystem();

/** The text of a file of at most `maxBytes`; null if it is larger, unreadable or missing, or if it leads out of `folder`. */
export async function readPlainText(
  path: string,
  maxBytes: number,
  folder?: string,
): Promise<string | null> {
  const from = folder === undefined ? files : files.within(folder);
  return from.readText(path, maxBytes).catch(() => null);
}
