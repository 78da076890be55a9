/** Open files for appending: a few handles are kept, every append is whole or undone. */

import { constants } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { Limiter } from "../core/util/limiter.ts";
import type { Guard } from "./confinement.ts";

const TO_APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
const MAX_OPEN_HANDLES = 16;

interface KeptHandle {
  readonly handle: FileHandle;
  /** Number of the file, which no other file gets while this one is open. */
  readonly fileId: number;
  /** Who opened it: what one lets pass another may refuse. */
  readonly guard: Guard;
}

interface AppendOptions {
  readonly guard: Guard;
  readonly beforeWrite?: (() => Promise<void>) | undefined;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  /** False when an append before it has opened it. */
  readonly isNew: boolean;
}

/** Appends one at a time, so that offsets are exact; the handles used least recently are closed. */
export class AppendHandles {
  readonly #turn = new Limiter(1);
  /** By path, the one used last at the end. */
  readonly #handles = new Map<string, KeptHandle>();

  /**
   * Returns the byte offset of the data. A failed append leaves the file as it was, as far as the disk lets it. `beforeWrite` is
   * called when the file was opened for this append, and may refuse it by what it throws.
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

  /** Closes the files if they are open: before something else renames, cuts or removes them. */
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
    // The guard has passed this very file, so a look at every folder on the way to it would show nothing new.
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

/** A full disk shows as a short write first and as an error at the next one. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}
