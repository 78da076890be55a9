/** Files open for appending: keeps a few handles open, and undoes appends that fail partway. */

import { constants } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { Limiter } from "../core/util/limiter.ts";
import type { Guard } from "./confinement.ts";

const TO_APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
const MAX_OPEN_HANDLES = 16;

interface KeptHandle {
  readonly handle: FileHandle;
  /** The file's inode number, which cannot be reused while the handle is open. */
  readonly fileId: number;
  /** The guard that opened it: another guard may reject the file. */
  readonly guard: Guard;
}

interface AppendOptions {
  readonly guard: Guard;
  readonly beforeWrite?: (() => Promise<void>) | undefined;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** False if an earlier append opened it. */
  readonly isNew: boolean;
}

/** Serializes appends, so that offsets are exact; closes the least recently used handles. */
export class AppendHandles {
  readonly #turn = new Limiter(1);
  /** By path, most recently used last. */
  readonly #handles = new Map<string, KeptHandle>();

  /**
   * Returns the byte offset of the data. A failed append is undone as far as the disk allows. `beforeWrite` is called when this append
   * opened the file; it rejects the file by throwing.
   */
  append(path: string, bytes: Uint8Array, options: AppendOptions): Promise<number> {
    const { guard, beforeWrite } = options;
    return this.#turn.run(async () => {
      const { handle, size, isNew } = await this.#open(path, guard);
      try {
        if (isNew) await beforeWrite?.();
      } catch (error) {
        await this.#close(path);
        throw error;
      }
      try {
        await writeAll(handle, bytes);
      } catch (error) {
        await Promise.allSettled([handle.truncate(size)]);
        throw error;
      }
      return size;
    });
  }

  /** Closes the files if they are open. Call before renaming, truncating or removing them. */
  release(...paths: readonly string[]): Promise<void> {
    return this.#turn.run(async () => {
      for (const path of paths) await this.#close(path);
    });
  }

  close(): Promise<void> {
    return this.release(...this.#handles.keys());
  }

  async #open(path: string, guard: Guard): Promise<OpenFile> {
    const kept = this.#handles.get(path);
    // The guard already accepted this file, so checking every folder on its path would show nothing new.
    const found = kept?.guard === guard ? await lstat(path).catch(() => null) : null;
    if (kept !== undefined && found?.ino === kept.fileId) {
      this.#handles.delete(path);
      this.#handles.set(path, kept);
      return { handle: kept.handle, size: found.size, isNew: false };
    }
    await this.#close(path);
    const oldest = this.#handles.keys().next();
    if (!oldest.done && this.#handles.size >= MAX_OPEN_HANDLES) await this.#close(oldest.value);
    const { handle, info } = await guard.open(path, TO_APPEND);
    this.#handles.set(path, { handle, fileId: info.ino, guard });
    return { handle, size: info.size, isNew: true };
  }

  async #close(path: string): Promise<void> {
    const kept = this.#handles.get(path);
    this.#handles.delete(path);
    await kept?.handle.close();
  }
}

/** Loops, because a full disk first causes a short write and then an error. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}
