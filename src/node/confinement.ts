/** Keeps what is done to files within one folder: no link is followed, and nothing but plain files is opened. */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
} from "node:fs";
import { type FileHandle, lstat, open, readdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError, isAppError } from "../core/errors.ts";
import { errorCode } from "./errorCode.ts";
import { OpenedPlace } from "./openedPlace.ts";

/** What stands between a path and the disk. */
export interface Guard {
  /** Call before anything is done to `path`. @throws AppError `folder-unsafe` */
  check(path: string): Promise<void>;
  /** The facts about `path`, checked; null when it is not there. @throws AppError `folder-unsafe`, or what the system says */
  stat(path: string): Promise<Stats | null>;
  /** Opens `path`, checked, with flags of `node:fs`. @throws AppError `folder-unsafe`, or what the system says */
  open(path: string, flags: number): Promise<OpenedFile>;
  /** Another name of the folder of `path`, which leads to that very folder until it is closed. @throws AppError `folder-unsafe` */
  hold(path: string): Promise<HeldFolder>;
}

export interface HeldFolder {
  readonly path: string;
  close(): Promise<void>;
}

/** A file as it was when it was opened. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly info: Stats;
}

/** By its own name, where nothing needs to be held. */
const asNamed = async (path: string): Promise<HeldFolder> => ({
  path: dirname(path),
  close: async () => undefined,
});

/** Paths that a shell passes for a redirected stream, as in `<(command)`. */
const HANDED_OVER = /^\/(dev\/stdin|dev\/fd\/\d+|proc\/self\/fd\/\d+)$/;

/** Follows links, but reads nothing but plain files: in a folder that someone else may have filled. */
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
  hold: asNamed,
};

/** Lets everything pass but a pipe that lies on the disk, where a reader would wait without end. */
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
  hold: asNamed,
};

/** Follows no link and waits for no pipe. Windows has neither flag; there the check before the opening has to suffice. */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Whether `path` is `folder` or lies below it, by their names alone. */
export function isWithin(path: string, folder: string): boolean {
  const below = relative(resolve(folder), resolve(path));
  return !isAbsolute(below) && below !== ".." && !below.startsWith(`..${sep}`);
}

/** The paths from `folder` on that lead to `path`. @throws AppError `folder-unsafe` */
function wayTo(folder: string, path: string): readonly string[] {
  const root = resolve(folder);
  if (!isWithin(path, folder)) throw outside(folder, path);
  const names = relative(root, resolve(path)).split(sep);
  return [root, ...names.map((_, at) => join(root, ...names.slice(0, at + 1)))];
}

/** Refuses what leads out of `folder`; the way to `folder` itself is not looked at. */
export function confinedTo(folder: string): Guard {
  const place = new OpenedPlace(folder);
  const soundStat = async (way: readonly string[]): Promise<Stats | null> => {
    let info: Stats | null = null;
    for (const current of way) {
      info = await present(lstat(current));
      if (info === null) return null;
      requireSound(folder, current, info);
    }
    return info;
  };
  return {
    check: async (path) => void (await soundStat(wayTo(folder, path))),
    stat: (path) => soundStat(wayTo(folder, path)),
    open: (path, flags) =>
      againIfExchanged(async () => {
        const way = wayTo(folder, path);
        // Where the opening itself follows no link and waits for no pipe, the file need not be looked at before.
        await soundStat(CAREFULLY === 0 ? way : way.slice(0, -1));
        const handle = await openUnfollowed(folder, path, flags);
        // What was looked at before may have been replaced since.
        return withFacts(handle, (info) => {
          if (!info.isFile()) throw special(folder, path);
          if (!place.holds(handle.fd, path, info)) throw exchanged(folder, path);
        });
      }),
    hold: async (path) => {
      await soundStat(wayTo(folder, path).slice(0, -1));
      if (!existsSync("/proc/self/fd")) return asNamed(path);
      const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
      const { handle } = await withFacts(await open(dirname(path), flags), (info, fd) => {
        if (!place.holds(fd, dirname(path), info)) throw exchanged(folder, path);
      });
      return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() };
    },
  };
}

/** As the check of {@link confinedTo}, at once; the facts about `path`, or null when it is not there. */
export function statConfined(folder: string, path: string): Stats | null {
  let info: Stats | undefined;
  for (const current of wayTo(folder, path)) {
    info = lstatSync(current, { throwIfNoEntry: false });
    if (info === undefined) return null;
    requireSound(folder, current, info);
  }
  return info ?? null;
}

/**
 * Opens `path` for reading as {@link confinedTo} does, at once; `place` is that of `folder`.
 * @throws AppError `folder-unsafe`, or what the system says
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

/** Looks at everything in `folder`. @throws AppError `folder-unsafe` for the first entry that is a link or no plain file */
export async function requireSafeFolder(folder: string): Promise<void> {
  const root = resolve(folder);
  const info = await present(lstat(root));
  if (info === null) return;
  requireSound(folder, root, info);
  const waiting = [root];
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    for (const entry of await readdir(current, { withFileTypes: true })) {
      const path = join(current, entry.name);
      requireSound(folder, path, entry);
      if (entry.isDirectory()) waiting.push(path);
    }
  }
}

function requireSound(
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
    // What the system says of a pipe that no one reads, and of a socket.
    if (errorCode(error) === "ENXIO") throw special(folder, path);
    throw error;
  }
}

/** Closes `handle` when `require` refuses what it has opened. */
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
/** A file that is replaced by a newer one while it is opened is found at once when it is opened again. */
const OPENINGS = 3;

async function againIfExchanged(open: () => Promise<OpenedFile>): Promise<OpenedFile> {
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
