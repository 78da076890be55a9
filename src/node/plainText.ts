/** Reads files of unknown kind for readers that do without one that is missing or cannot be read. */

import { createFileSystem } from "./fileSystem.ts";

const files = createFileSystem();

/**
 * The text of a file of at most `maxBytes`; null for one that is larger, cannot be read or is not there, and with a `folder` for one
 * that leads out of it.
 */
export async function readPlainText(
  path: string,
  maxBytes: number,
  folder?: string,
): Promise<string | null> {
  const from = folder === undefined ? files : files.within(folder);
  return from.readText(path, maxBytes).catch(() => null);
}
