/** The FileSystem port on Node: atomic writes, appends that return offsets, and errors that say what to do. */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError, absent, errorMessage } from "../core/errors.ts";
import type { FileSystem, FolderFiles } from "../core/ports.ts";
import { AppendHandles } from "./appendHandles.ts";
import {
  confinedTo,
  type Guard,
  type OpenedFile,
  PLAIN_FILES,
  requireSafeFolder,
  UNGUARDED,
} from "./confinement.ts";
import { errorCode } from "./errorCode.ts";
import { makeFolders } from "./makeFolders.ts";
import { whileHeld } from "./whileHeld.ts";

export interface ClosableFileSystem extends FileSystem {
  /** Closes files kept open for appending; later appends reopen them. */
  close(): Promise<void>;
}

const TOO_MANY_FILES =
  "Too many files are open: raise the limit with `ulimit -n`, or run fewer programs.";

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: free some space, then try again. If it ended a run, resume the run.",
  EDQUOT:
    "The disk quota is used up: free some space, then try again. If it ended a run, resume the run.",
  EROFS: "The disk is read-only: choose another folder, for example with `log_path`.",
  EACCES: "Permission is missing: change the folder's permissions or choose another one.",
  EPERM: "Permission is missing: change the folder's permissions or choose another one.",
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  EIO: "The disk reports an error: check it, or choose a folder on another one.",
};

/** Default size limit for a single read. */
const MAX_READ_BYTES = 256 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * Creates the file system. Errors are AppErrors `disk`, `exists`, `file-not-found`, `file-too-large` and `file-unreadable` with
 * `data.path`.
 */
export function createFileSystem(): ClosableFileSystem {
  const handles = new AppendHandles();
  return { ...guardedFiles(handles, UNGUARDED), close: () => handles.close() };
}

/** The bytes of a regular file; follows links. @throws AppError `file-not-found`, `file-too-large`, `file-unreadable` */
export function readPlainFile(path: string, maxBytes: number): Promise<Uint8Array> {
  return reading(path, () => opened(PLAIN_FILES, path, (file) => readWhole(file, path, maxBytes)));
}

function guardedFiles(handles: AppendHandles, guard: Guard): FileSystem {
  const { check, stat } = guard;
  const read = (path: string, maxBytes = MAX_READ_BYTES): Promise<Uint8Array> =>
    reading(path, () => opened(guard, path, (file) => readWhole(file, path, maxBytes)));
  return {
    readText: async (path, maxBytes) => textOf(await read(path, maxBytes)),
    readBytes: read,
    readRange: (path, offset, length) =>
      reading(path, () => opened(guard, path, ({ handle }) => readUpTo(handle, length, offset))),
    append: (path, data, beforeWrite) =>
      writing(path, () => handles.append(path, toBytes(data), { guard, beforeWrite })),
    writeAtomic: (path, data) =>
      writing(path, async () => {
        await check(path);
        await handles.release(path);
        await writeOver(guard, await guard.target(path), toBytes(data));
      }),
    makeDirectory: (path) =>
      writing(path, async () => {
        await check(path);
        await makeFolders(path);
      }),
    claimDirectory: (path) =>
      writing(path, async () => {
        await check(path);
        await claimDirectory(path);
      }),
    list: (path) =>
      reading(path, async () => {
        await check(path);
        return (await readdir(path)).sort();
      }).catch(absent([])),
    size: (path) => reading(path, async () => (await stat(path))?.size ?? null),
    rename: (from, to) =>
      writing(from, async () => {
        await check(from);
        await check(to);
        await handles.release(from, to);
        await opened(guard, from, ({ handle }) => handle.sync(), constants.O_RDWR);
        await renameHeld(guard, from, to);
        await syncDirectory(dirname(to));
      }),
    remove: (path) =>
      writing(path, async () => {
        await check(path);
        await handles.release(path);
        await whileHeld(() => rm(path, { recursive: true, force: true }));
      }),
    truncate: (path, size) =>
      writing(path, async () => {
        await check(path);
        await handles.release(path);
        await opened(guard, path, ({ handle }) => handle.truncate(size), constants.O_RDWR);
      }),
    within: (folder) => folderFiles(handles, folder),
  };
}

/** Shares the open handles of {@link createFileSystem}, because a rename must close a file that is kept open for appending. */
function folderFiles(handles: AppendHandles, folder: string): FolderFiles {
  return {
    ...guardedFiles(handles, confinedTo(folder)),
    requireSafe: () => reading(folder, () => requireSafeFolder(folder)),
  };
}

async function opened<T>(
  guard: Guard,
  path: string,
  use: (file: OpenedFile) => Promise<T>,
  flags = constants.O_RDONLY,
): Promise<T> {
  const file = await guard.open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.handle.close();
  }
}

/** Reads beyond the reported size: devices report none, and a file may grow meanwhile. */
async function readWhole(
  { handle, info: { size } }: OpenedFile,
  path: string,
  maxBytes: number,
): Promise<Uint8Array> {
  if (size > maxBytes) throw tooLarge(path, maxBytes);
  const pieces = [await readUpTo(handle, size, null)];
  let length = size;
  for (;;) {
    const piece = await readUpTo(handle, PIECE_BYTES, null);
    if (piece.length === 0) break;
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) throw tooLarge(path, maxBytes);
  }
  const [whole, ...more] = pieces;
  return whole !== undefined && more.length === 0 ? whole : new Uint8Array(Buffer.concat(pieces));
}

/** Reads from byte `offset`, or from the current position if null. */
async function readUpTo(
  handle: FileHandle,
  length: number,
  offset: number | null,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const at = offset === null ? null : offset + filled;
    const { bytesRead } = await handle.read(bytes, filled, length - filled, at);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

const TO_CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** The new file has the permissions of the one that it replaces, which may be private. */
async function writeOver(guard: Guard, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const before = await guard.stat(path);
  try {
    const write = async ({ handle, info }: OpenedFile): Promise<void> => {
      const mode = before?.mode ?? info.mode;
      if (mode !== info.mode) await handle.chmod(mode & 0o7777);
      await handle.writeFile(bytes);
      await handle.sync();
    };
    await opened(guard, temporary, write, TO_CREATE);
    await renameHeld(guard, temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Error codes of systems and network file systems that cannot flush a directory. */
const NO_FLUSH: readonly string[] = ["EINVAL", "ENOTSUP", "EBADF", "EACCES"];

/** Makes a rename durable. Errors from systems that cannot flush a directory are ignored. */
async function syncDirectory(path: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (process.platform !== "win32" && !NO_FLUSH.includes(errorCode(error))) throw error;
  } finally {
    await handle?.close();
  }
}

/** Renames with both folders pinned: a rename resolves each path again, so a folder replaced by a link would redirect the file. */
async function renameHeld(guard: Guard, from: string, to: string): Promise<void> {
  const source = await guard.hold(from);
  try {
    const target = await guard.hold(to);
    try {
      const paths = [join(source.path, basename(from)), join(target.path, basename(to))] as const;
      await whileHeld(() => rename(...paths));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function claimDirectory(path: string): Promise<void> {
  await makeFolders(dirname(path));
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    throw new AppError("exists", `${path} already exists. Choose another name.`, {
      data: { path },
      cause: error,
    });
  }
}

/** Runs a read of `path`, converting errors to those of {@link createFileSystem}. */
export async function reading<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = errorCode(error);
    if (code === "ENOENT") throw notFound(path, error);
    if (code === "ENOTDIR") {
      const file = await nearestExisting(path);
      const message = `Cannot read ${path}, because ${file === path ? "it" : file} is a file, not a folder. Check the path.`;
      throw new AppError("file-unreadable", message, { data: { path }, cause: error });
    }
    const advice = ADVICE[code] ?? "Check the path and its permissions.";
    const message =
      code === "EISDIR"
        ? `Cannot read ${path}, because it is a folder. Give the path of a file in it.`
        : `Cannot read ${path}: ${errorMessage(error)}. ${advice}`;
    throw new AppError("file-unreadable", message, { data: { path }, cause: error });
  }
}

/** What blocks `path`: itself, or its nearest ancestor that exists. */
async function nearestExisting(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  const parent = dirname(path);
  return isThere || parent === path ? path : await nearestExisting(parent);
}

/** Runs a write to `path`, converting errors to those of {@link createFileSystem}. */
export async function writing<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = errorCode(error);
    if (code === "ENOENT") throw notFound(path, error);
    const advice = ADVICE[code] ?? "Check the path and the disk.";
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

function tooLarge(path: string, maxBytes: number): AppError {
  return new AppError(
    "file-too-large",
    `${path} is larger than the limit of ${maxBytes} bytes. Check what wrote it.`,
    { data: { path, maxBytes } },
  );
}

/** Keeps a byte order mark, if there is one. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}
