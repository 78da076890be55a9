/** Confines file operations to one folder: follows no links and opens only regular files. */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
} from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError, isAppError } from "../core/errors.ts";
import { errorCode } from "./errorCode.ts";
import { OpenedPlace } from "./openedPlace.ts";

/** Checks paths before files are accessed. */
export interface Guard {
  /** Call before any operation on `path`. @throws AppError `folder-unsafe` */
  check(path: string): Promise<void>;
  /** Checks `path` and returns its stats; null if it does not exist. @throws AppError `folder-unsafe`, or a system error */
  stat(path: string): Promise<Stats | null>;
  /** Checks and opens `path` with flags from `node:fs`. @throws AppError `folder-unsafe`, or a system error */
  open(path: string, flags: number): Promise<OpenedFile>;
  /** The file that a write to `path` replaces. */
  target(path: string): Promise<string>;
  /** An alias for the folder of `path` that refers to that exact folder until it is closed. @throws AppError `folder-unsafe` */
  hold(path: string): Promise<HeldFolder>;
}

export interface HeldFolder {
  readonly path: string;
  close(): Promise<void>;
}

/** A file with its stats at the time it was opened. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly info: Stats;
}

/** Uses the folder's own path, for guards that do not need to pin it. */
const asNamed = async (path: string): Promise<HeldFolder> => ({
  path: dirname(path),
  close: async () => undefined,
});

const itself = async (path: string): Promise<string> => path;

/** A link stays, and the file behind it changes; a link to nothing is replaced. */
async function behindLinks(path: string): Promise<string> {
  const info = await present(lstat(path));
  return info?.isSymbolicLink() === true ? realpath(path).catch(() => path) : path;
}

/** Paths that a shell passes for redirected streams, as in `<(command)`. */
const HANDED_OVER = /^\/(dev\/stdin|dev\/fd\/\d+|proc\/self\/fd\/\d+)$/;

/** Follows links but opens only regular files, for folders that someone else may have filled. */
export const PLAIN_FILES: Guard = {
  check: async () => undefined,
  stat: (path) => present(stat(path)),
  open: async (path, flags) => {
    const handle = await open(path, flags | (constants.O_NONBLOCK ?? 0));
    return withFacts(handle, (info) => {
      if (info.isFile()) return;
      const message = `${path} is neither a plain file nor a link to one. Remove it, or use another folder.`;
      throw new AppError("file-unreadable", message, { data: { path } });
    });
  },
  target: itself,
  hold: asNamed,
};

/** Accepts everything except named pipes on disk, on which a reader would block forever. */
export const UNGUARDED: Guard = {
  check: async () => undefined,
  stat: (path) => present(stat(path)),
  open: async (path, flags) => {
    const isHandedOver = HANDED_OVER.test(path);
    const handle = await open(path, isHandedOver ? flags : flags | (constants.O_NONBLOCK ?? 0));
    return withFacts(handle, (info) => {
      if (isHandedOver || !info.isFIFO()) return;
      const message = `${path} is a pipe, not a file. Use another file.`;
      throw new AppError("file-unreadable", message, { data: { path } });
    });
  },
  target: behindLinks,
  hold: asNamed,
};

/** Do not follow links or block on pipes. Windows has neither flag; there, the check before opening must suffice. */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Whether `path` is `folder` or below it, judged by name only. */
export function isWithin(path: string, folder: string): boolean {
  const below = relative(resolve(folder), resolve(path));
  return !isAbsolute(below) && below !== ".." && !below.startsWith(`..${sep}`);
}

/** The paths from `folder` down to `path`. @throws AppError `folder-unsafe` */
function chainTo(folder: string, path: string): readonly string[] {
  const root = resolve(folder);
  if (!isWithin(path, folder)) throw outside(folder, path);
  const names = relative(root, resolve(path)).split(sep);
  return [root, ...names.map((_, at) => join(root, ...names.slice(0, at + 1)))];
}

/** Rejects anything that leads out of `folder`; the path to `folder` itself is not checked. */
export function confinedTo(folder: string): Guard {
  const place = new OpenedPlace(folder);
  const checkedStat = async (chain: readonly string[]): Promise<Stats | null> => {
    let info: Stats | null = null;
    for (const current of chain) {
      info = await present(lstat(current));
      if (info === null) return null;
      requirePlainEntry(folder, current, info);
    }
    return info;
  };
  return {
    check: async (path) => void (await checkedStat(chainTo(folder, path))),
    stat: (path) => checkedStat(chainTo(folder, path)),
    open: (path, flags) =>
      retryIfExchanged(async () => {
        const chain = chainTo(folder, path);
        // Skip the file itself if opening it neither follows links nor blocks on pipes.
        await checkedStat(CAREFULLY === 0 ? chain : chain.slice(0, -1));
        const handle = await openUnfollowed(folder, path, flags);
        // The checked path may have been replaced in the meantime.
        return withFacts(handle, (info) => {
          if (!info.isFile()) throw special(folder, path);
          if (!place.holds(handle.fd, path, info)) throw exchanged(folder, path);
        });
      }),
    target: itself,
    hold: async (path) => {
      await checkedStat(chainTo(folder, path).slice(0, -1));
      if (!existsSync("/proc/self/fd")) return asNamed(path);
      const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
      const { handle } = await withFacts(await open(dirname(path), flags), (info, fd) => {
        if (!place.holds(fd, dirname(path), info)) throw exchanged(folder, path);
      });
      return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() };
    },
  };
}

/** Synchronous version of the check in {@link confinedTo}; returns the stats of `path`, or null if it does not exist. */
export function statConfined(folder: string, path: string): Stats | null {
  let info: Stats | undefined;
  for (const current of chainTo(folder, path)) {
    info = lstatSync(current, { throwIfNoEntry: false });
    if (info === undefined) return null;
    requirePlainEntry(folder, current, info);
  }
  return info ?? null;
}

/**
 * Opens `path` for reading; synchronous version of {@link confinedTo}. `place` belongs to `folder`.
 * @throws AppError `folder-unsafe`, or a system error
 */
export function openConfined(folder: string, path: string, place: OpenedPlace): number {
  statConfined(folder, path);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | CAREFULLY);
  } catch (error) {
    throw errorCode(error) === "ELOOP" ? linked(folder, path) : error;
  }
  const info = fstatSync(file);
  const isHeld = info.isFile() && place.holds(file, path, info);
  if (isHeld) return file;
  closeSync(file);
  throw info.isFile() ? exchanged(folder, path) : special(folder, path);
}

/** Checks everything in `folder`. @throws AppError `folder-unsafe` for the first entry that is a link or not a regular file */
export async function requireSafeFolder(folder: string): Promise<void> {
  const root = resolve(folder);
  const info = await present(lstat(root));
  if (info === null) return;
  requirePlainEntry(folder, root, info);
  const waiting = [root];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    for (const entry of await readdir(current, { withFileTypes: true })) {
      const path = join(current, entry.name);
      requirePlainEntry(folder, path, entry);
      if (entry.isDirectory()) waiting.push(path);
    }
  }
}

function requirePlainEntry(
  folder: string,
  path: string,
  info: Pick<Stats, "isSymbolicLink" | "isFile" | "isDirectory">,
): void {
  if (info.isSymbolicLink()) throw linked(folder, path);
  if (!info.isFile() && !info.isDirectory()) throw special(folder, path);
}

async function openUnfollowed(folder: string, path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags | CAREFULLY);
  } catch (error) {
    if (errorCode(error) === "ELOOP") throw linked(folder, path);
    // The system's error for sockets, and for pipes without a reader.
    if (errorCode(error) === "ENXIO") throw special(folder, path);
    throw error;
  }
}

/** Closes `handle` if `require` rejects what was opened. */
async function withFacts(
  handle: FileHandle,
  require: (info: Stats, file: number) => void,
): Promise<OpenedFile> {
  try {
    const info = await handle.stat();
    require(info, handle.fd);
    return { handle, info };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function present(stats: Promise<Stats>): Promise<Stats | null> {
  try {
    return await stats;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function outside(folder: string, path: string): AppError {
  const message = `${path} is outside ${folder}, but files in the folder link to it. Do not use this folder.`;
  return unsafe(folder, path, message);
}

const EXCHANGED = "exchanged";
/** Retries because a file that is replaced while being opened is usually found on the next try. */
const OPENINGS = 3;

async function retryIfExchanged(open: () => Promise<OpenedFile>): Promise<OpenedFile> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await open();
    } catch (error) {
      const isExchanged = isAppError(error, "folder-unsafe") && error.data["why"] === EXCHANGED;
      if (!isExchanged || tried === OPENINGS) throw error;
    }
  }
}

function exchanged(folder: string, path: string): AppError {
  const message = `${path} was replaced while it was opened, and pointed outside ${folder}. Do not use this folder.`;
  return new AppError("folder-unsafe", message, { data: { folder, path, why: EXCHANGED } });
}

function linked(folder: string, path: string): AppError {
  const message =
    resolve(path) === resolve(folder)
      ? `${folder} is a symbolic link. Use the folder that it points to.`
      : `${path} is a symbolic link, which ${folder} must not contain. Remove the link, or make a copy of the folder with the files themselves in it.`;
  return unsafe(folder, path, message);
}

function special(folder: string, path: string): AppError {
  const message = `${path} is neither a plain file nor a folder. Remove it from ${folder}.`;
  return unsafe(folder, path, message);
}

function unsafe(folder: string, path: string, message: string): AppError {
  return new AppError("folder-unsafe", message, { data: { folder, path } });
}
