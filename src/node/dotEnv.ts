/** Reads `.env` files of unknown content: only regular files up to a maximum size. */

import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createFileSystem } from "./fileSystem.ts";

const MAX_BYTES = 1024 * 1024;
const fileSystem = createFileSystem();

/** The real path of the regular file at `path`; null if there is none. */
export async function locateDotEnv(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : null;
  } catch {
    // Most projects have no such file. An unreachable one yields no values; the resulting error names the missing key.
    return null;
  }
}

/** The text without a byte order mark; null if it is not a regular file, too large for a key file, or unreadable. */
export async function readDotEnv(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    return decode(await fileSystem.within(dirname(real)).readBytes(real, MAX_BYTES));
  } catch {
    return null;
  }
}

/** Decodes according to the byte order mark (PowerShell's `>` writes UTF-16), and as UTF-8 without one. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
