/** Reads files that may be anything, for who only wants to know what is in them. */

import { createFileSystem } from "./fileSystem.ts";

const files = createFileSystem();

/** The text of a file of at most `maxBytes`; null for one that is larger, cannot be read or is not there. */
export async function readPlainText(path: string, maxBytes: number): Promise<string | null> {
  return files.readText(path, maxBytes).catch(() => null);
}
