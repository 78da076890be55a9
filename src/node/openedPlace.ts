/**
 * Where an opened file really lies. A path that was looked at may lead elsewhere by the time it is opened, when someone exchanges a
 * folder on its way for a link.
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

/** What the system adds to the path of an open file that was removed or replaced since. */
const REMOVED = / \(deleted\)$/;

/** Tells for an open file or folder whether it lies within one folder, or is that folder. */
export class OpenedPlace {
  readonly #folder: string;
  /** The folder's own real path, once it was looked up. */
  #root: string | null = null;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** `path` is the one that `file` was opened at; `info` are the facts about the file. */
  holds(file: number, path: string, info: Stats): boolean {
    const real = realPathOf(file, info);
    if (real === null) return this.#holdsByPath(path, info);
    if (this.#root !== null && isWithin(real, this.#root)) return true;
    // The folder may have been moved since.
    this.#root = this.#rootNow();
    return this.#root !== null && isWithin(real, this.#root);
  }

  /** Null when it is no folder any more. */
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

  /** Where the system does not say where an open file lies: by the path as it leads now, which must lead to this very file. */
  #holdsByPath(path: string, { dev, ino }: Stats): boolean {
    try {
      const real = realpathSync(path);
      const now = statSync(real);
      // Some versions of Node know all digits of a device on Windows by a path, and half of them of an open file.
      const isOnDevice = now.dev === dev || process.platform === "win32";
      return now.ino === ino && isOnDevice && isWithin(real, realpathSync(this.#folder));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    }
  }
}

/** Null where the system does not say it. */
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
