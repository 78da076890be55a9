/** Makes a folder with those above it. */

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./errorCode.ts";

/**
 * Node's own recursive `mkdir` tries for ever where the parent is there and the system yet answers ENOENT, as in `/proc`.
 * Rejects with the error of the system; its code is ENOTSUP there.
 */
export async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOENT") return await requireFolder(path, error);
    const parent = dirname(path);
    if (parent === path || (await isFolder(parent))) throw refusedBy(parent, error);
    await makeFolders(parent);
    await makeFolders(path);
  }
}

/** Also for codes other than EEXIST: a root and a mounted folder have their own. */
async function requireFolder(path: string, cause: unknown): Promise<void> {
  if (!(await isFolder(path))) throw cause;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Not ENOENT, which would say that `parent` is missing. */
function refusedBy(parent: string, cause: unknown): Error {
  return Object.assign(new Error(`${parent} takes no folders`, { cause }), { code: "ENOTSUP" });
}
