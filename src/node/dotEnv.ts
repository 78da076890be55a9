/** Reads `.env` files, which a project may hold in any shape: only plain files, and none without bounds. */

import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createFileSystem } from "./fileSystem.ts";

const MAX_BYTES = 1024 * 1024;
const fileSystem = createFileSystem();

/** The real path of the plain file that `path` leads to; null when it leads to none. */
export async function locateDotEnv(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : null;
  } catch {
    // Most projects have no such file. One that cannot be reached gives no value; the error then names the missing key.
    return null;
  }
}

/** Its text without a byte order mark, or null when it is no plain file, too large for keys, or cannot be read. */
export async function readDotEnv(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    return decode(await fileSystem.within(dirname(real)).readBytes(real, MAX_BYTES));
  } catch {
    return null;
  }
}

/** As its byte order mark says, because PowerShell's `>` writes UTF-16; UTF-8 without one. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
