/**
 * The real location of an open file. A checked path may lead elsewhere by the time it is opened, if someone replaces a folder on it with a
 * link.
 */

import {
  closeSync,
  constants,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { resolve, sep } from "node:path";
import { errorCode } from "./errorCode.ts";

/** Suffix that the system adds to the path of an open file that was removed or replaced. */
const REMOVED = / \(deleted\)$/;

/** Decides whether an open file or folder is inside one folder, or is that folder. */
export class OpenedPlace {
  readonly #folder: string;
  /** Cached real path of the folder. */
  #root: string | null = null;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** `path` is where `file` was opened; `info` are its stats. */
  holds(file: number, path: string, info: Stats): boolean {
    const real = realPathOf(file, info);
    if (real === null) return this.#holdsByPath(path, info);
    if (this.#root !== null && isWithin(real, this.#root)) return true;
    // The folder may have been moved since it was cached.
    this.#root = this.#rootNow();
    return this.#root !== null && isWithin(real, this.#root);
  }

  /** Null if it is no longer a folder. */
  #rootNow(): string | null {
    try {
      const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
      const file = openSync(this.#folder, flags);
      try {
        return readlinkSync(`/proc/self/fd/${file}`);
      } finally {
        closeSync(file);
      }
    } catch {
      return null;
    }
  }

  /** Fallback where the system does not reveal an open file's path: the path must now resolve to this exact file. */
  #holdsByPath(path: string, { dev, ino }: Stats): boolean {
    try {
      const real = realpathSync(path);
      const now = statSync(real);
      // On Windows, some Node versions report the full device number for a path but a truncated one for an open file.
      const isOnDevice = now.dev === dev || process.platform === "win32";
      return now.ino === ino && isOnDevice && isWithin(real, realpathSync(this.#folder));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    }
  }
}

/** Null if the system does not reveal it. */
function realPathOf(file: number, { nlink }: Stats): string | null {
  if (process.platform !== "linux") return null;
  try {
    const path = readlinkSync(`/proc/self/fd/${file}`);
    return nlink === 0 ? path.replace(REMOVED, "") : path;
  } catch {
    return null;
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
