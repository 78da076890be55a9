/** Open files for appending: a few handles are kept, every append is whole or undone. */

import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Limiter } from "../core/util/limiter.ts";
import type { Guard } from "./confinement.ts";

const TO_APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
const MAX_OPEN_HANDLES = 16;

/** Appends one at a time, so that offsets are exact; the handles used least recently are closed. */
export class AppendHandles {
  readonly #turn = new Limiter(1);
  /** By path, the one used last at the end. */
  readonly #handles = new Map<string, FileHandle>();

  /** Returns the byte offset of the data. A failed append leaves the file as it was, as far as the disk lets it. */
  append(path: string, bytes: Uint8Array, guard: Guard): Promise<number> {
    return this.#turn.run(async () => {
      // Somebody else may have opened it unguarded.
      await guard.check(path);
      const handle = await this.#handleFor(path, guard);
      const { size } = await handle.stat();
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

  async #handleFor(path: string, guard: Guard): Promise<FileHandle> {
    const kept = this.#handles.get(path);
    this.#handles.delete(path);
    const oldest = this.#handles.keys().next();
    if (!oldest.done && this.#handles.size >= MAX_OPEN_HANDLES) await this.#close(oldest.value);
    const handle = kept ?? (await guard.open(path, TO_APPEND));
    this.#handles.set(path, handle);
    return handle;
  }

  async #close(path: string): Promise<void> {
    const handle = this.#handles.get(path);
    this.#handles.delete(path);
    await handle?.close();
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
