/** An in-memory FileSystem that can simulate a power failure: after `allowedWrites` changes, every further one fails. */

import { AppError } from "../../../src/core/errors.ts";
import type { FolderFiles } from "../../../src/core/ports.ts";

export interface MemoryFileSystem extends FolderFiles {
  readonly files: Map<string, Uint8Array>;
  /** Changes left until the power failure; initially Infinity. */
  allowedWrites: number;
}

export function createMemoryFileSystem(): MemoryFileSystem {
  const files = new Map<string, Uint8Array>();
  const folders = new Set<string>();
  const bytesOf = (path: string): Uint8Array => {
    const bytes = files.get(path);
    if (bytes === undefined) throw new AppError("file-not-found", `${path} does not exist.`);
    return bytes;
  };
  const change = (apply: () => void): void => {
    if (memory.allowedWrites <= 0) throw new AppError("disk", "The power is gone.");
    memory.allowedWrites -= 1;
    apply();
  };
  const memory: MemoryFileSystem = {
    files,
    allowedWrites: Number.POSITIVE_INFINITY,
    readText: async (path) => new TextDecoder().decode(bytesOf(path)),
    readBytes: async (path) => bytesOf(path),
    readRange: async (path, offset, length) => bytesOf(path).slice(offset, offset + length),
    append: async (path, data, beforeWrite) => {
      await beforeWrite?.();
      const before = files.get(path) ?? new Uint8Array();
      change(() => files.set(path, Buffer.concat([before, Buffer.from(data)])));
      return before.length;
    },
    writeAtomic: async (path, data) => change(() => files.set(path, Buffer.from(data))),
    makeDirectory: async (path) => void folders.add(path),
    claimDirectory: async (path) => {
      if (folders.has(path)) throw new AppError("exists", `${path} exists already.`);
      change(() => folders.add(path));
    },
    list: async (path) =>
      [
        ...new Set(
          [...files.keys()]
            .filter((name) => name.startsWith(`${path}/`))
            .map((name) => name.slice(path.length + 1).replace(/\/.*/, "")),
        ),
      ].sort(),
    size: async (path) => files.get(path)?.length ?? null,
    rename: async (from, to) => {
      const bytes = bytesOf(from);
      change(() => {
        files.set(to, bytes);
        files.delete(from);
      });
    },
    remove: async (path) =>
      change(() => {
        for (const all of [files, folders]) {
          for (const each of [...all.keys()]) {
            if (each === path || each.startsWith(`${path}/`)) all.delete(each);
          }
        }
      }),
    truncate: async (path, size) => {
      const bytes = bytesOf(path);
      change(() => files.set(path, bytes.slice(0, size)));
    },
    // There are no links in memory.
    within: () => memory,
    requireSafe: async () => undefined,
  };
  return memory;
}

/** A clock that stands still until it is moved; sleeping never ends by itself. */
export function createStillClock() {
  let nowMs = 1_700_000_000_000;
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    after: (_ms: number, _action: () => void) => () => undefined,
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
}
