/** A private folder for a Unix socket, with a path short enough for the system; on Windows, a named pipe. */

import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, errorMessage } from "../core/errors.ts";

export interface SocketFolder {
  /** Accessible only to the user; the caller removes it. */
  readonly folder: string;
  /** Path of the socket in the folder, or of the pipe. */
  readonly address: string;
}

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, including the final zero (unix(4), unix(7)); Node truncates longer paths. */
const MAX_SOCKET_PATH_BYTES = 103;
/** Placeholder for what mkdtemp appends to the prefix. */
const RANDOM_PART = "XXXXXX";

const USE_EVERY_MS = 6 * 3600 * 1000;

/**
 * Creates the folder in the first suitable location: the temporary folder, the user's runtime folder, `/tmp`.
 * @param prefix of the folder's name, and of the pipe's
 * @param name of the socket in the folder
 * @throws AppError `no-socket-folder` if no location is both short enough and writable
 */
export async function makeSocketFolder(prefix: string, name: string): Promise<SocketFolder> {
  if (process.platform === "win32") {
    const folder = await makeLasting(join(tmpdir(), prefix));
    return { folder, address: `\\\\.\\pipe\\${prefix}${randomUUID()}` };
  }
  let refusal = "the path of a socket there would be longer than the system allows";
  for (const parent of [tmpdir(), process.env["XDG_RUNTIME_DIR"] ?? "", "/tmp"]) {
    const longest = join(parent, prefix + RANDOM_PART, name);
    if (!parent.startsWith("/") || Buffer.byteLength(longest) > MAX_SOCKET_PATH_BYTES) continue;
    try {
      const folder = await makeLasting(join(parent, prefix));
      return { folder, address: join(folder, name) };
    } catch (error) {
      refusal = errorMessage(error);
    }
  }
  throw new AppError(
    "no-socket-folder",
    `No folder for a socket: ${refusal}. Set TMPDIR to a short, writable path; it is ${tmpdir()}.`,
  );
}

/** Systems delete unused files from such locations after a few days (three on macOS), so touch them while this process lives. */
async function makeLasting(prefix: string): Promise<string> {
  const folder = await mkdtemp(prefix);
  const use = async (): Promise<void> => {
    const now = new Date();
    const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))];
    await Promise.allSettled(paths.map((path) => utimes(path, now, now)));
  };
  const timer = setInterval(() => use().catch(() => clearInterval(timer)), USE_EVERY_MS).unref();
  return folder;
}
