/** A private folder for a Unix socket whose path the system takes, or a named pipe on Windows. */

import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, errorMessage } from "../core/errors.ts";

export interface SocketFolder {
  /** Only the user can enter it; the caller removes it. */
  readonly folder: string;
  /** Path of the socket in the folder, or of the pipe. */
  readonly address: string;
}

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, the last one zero (unix(4), unix(7)); Node cuts longer paths off. */
const MAX_SOCKET_PATH_BYTES = 103;
/** What mkdtemp puts behind the prefix. */
const RANDOM_PART = "XXXXXX";

const USE_EVERY_MS = 6 * 3600 * 1000;

/**
 * Makes a folder in the first place that is short enough: the folder for temporary files, the user's runtime folder, `/tmp`.
 * @param prefix of the folder's name, and of the pipe's
 * @param name of the socket in the folder
 * @throws AppError `no-socket-folder` where no place is both short enough and writable
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

/** Systems remove from such places what nobody has used for some days, on macOS three: as long as this process lives, it is used. */
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
