/** The FileSystem port on Node: atomic writes, appends with offsets, faults that say what to do. */

import { randomUUID } from "node:crypto";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
} from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, errorMessage } from "../core/errors.ts";
import type { FileSystem } from "../core/ports.ts";
import { AppendHandles } from "./appendHandles.ts";

export interface ClosableFileSystem extends FileSystem {
  /** Closes the files kept open for appending; a later append opens them again. */
  close(): Promise<void>;
}

/** On Windows a rename fails for a moment while somebody reads the old file. */
const RENAME_ATTEMPTS = 10;
const RENAME_PAUSE_MS = 20;

const DISK_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: free some space, then resume the run.",
  EDQUOT: "The disk quota is used up: free some space, then resume the run.",
  EROFS: "The disk is read-only: choose another folder, for example with `log_path`.",
  EACCES: "Permission is missing: change the folder's rights or choose another one.",
  EPERM: "Permission is missing: change the folder's rights or choose another one.",
  EIO: "The disk reports a fault: check it, or choose a folder on another one.",
};

/** Builds the file system; faults are AppErrors `disk`, `exists`, `file-not-found` and `file-unreadable`, with `data.path`. */
export function createFileSystem(): ClosableFileSystem {
  const handles = new AppendHandles();
  return {
    readText: (path) => reading(path, () => readFile(path, "utf8")),
    readBytes: (path) => reading(path, async () => new Uint8Array(await readFile(path))),
    readRange: (path, offset, length) => reading(path, () => readRange(path, offset, length)),
    append: (path, data) => writing(path, () => handles.append(path, toBytes(data))),
    writeAtomic: (path, data) =>
      writing(path, async () => {
        await handles.release(path);
        await writeOver(path, `${path}.${randomUUID()}.tmp`, toBytes(data));
      }),
    makeDirectory: (path) => writing(path, () => makeDirectory(path)),
    claimDirectory: (path) => writing(path, () => claimDirectory(path)),
    list: (path) => reading(path, async () => (await readdir(path)).sort()).catch(absent([])),
    size: (path) => reading(path, async () => (await stat(path)).size).catch(absent(null)),
    rename: (from, to) =>
      writing(from, async () => {
        await handles.release(from, to);
        await renameOver(from, to);
      }),
    remove: (path) =>
      writing(path, async () => {
        await handles.release(path);
        await rm(path, { recursive: true, force: true });
      }),
    truncate: (path, size) =>
      writing(path, async () => {
        await handles.release(path);
        await truncate(path, size);
      }),
    close: () => handles.close(),
  };
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  const handle = await open(path, "r");
  try {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

async function writeOver(path: string, temporary: string, bytes: Uint8Array): Promise<void> {
  try {
    const handle = await open(temporary, "wx");
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameOver(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes the rename itself durable; systems that cannot flush a directory need no flush. */
async function syncDirectory(path: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (process.platform !== "win32") throw error;
  } finally {
    await handle?.close();
  }
}

async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const isBusy = ["EPERM", "EACCES", "EBUSY"].includes(errorCode(error));
      if (process.platform !== "win32" || !isBusy || attempt === RENAME_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RENAME_PAUSE_MS));
    }
  }
}

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}

async function claimDirectory(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    throw new AppError("exists", `${path} exists already. Choose another name.`, {
      data: { path },
      cause: error,
    });
  }
}

async function reading<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw notFound(path, error);
    throw new AppError(
      "file-unreadable",
      `Cannot read ${path}: ${errorMessage(error)}. Check the path and its permissions.`,
      { data: { path }, cause: error },
    );
  }
}

async function writing<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = errorCode(error);
    if (code === "ENOENT") throw notFound(path, error);
    const advice = DISK_ADVICE[code] ?? "Check the path and the disk.";
    throw new AppError("disk", `Cannot write ${path}: ${errorMessage(error)}. ${advice}`, {
      data: { path, reason: code },
      cause: error,
    });
  }
}

function notFound(path: string, cause: unknown): AppError {
  return new AppError("file-not-found", `${path} does not exist. Check the path.`, {
    data: { path },
    cause,
  });
}

/** Handles a rejected read by giving `value` where there is nothing to read. */
function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof AppError && error.code === "file-not-found") return value;
    throw error;
  };
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const code: unknown = Object.getOwnPropertyDescriptor(error, "code")?.value;
  return typeof code === "string" ? code : "";
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}
