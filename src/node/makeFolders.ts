/** Makes a folder with those above it. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./errorCode.ts";
import { isFolder } from "./isFolder.ts";

/**
 * Node's own recursive `mkdir` tries for ever where the parent is there and the system yet answers ENOENT, as in `/proc`.
 * Rejects with the error of the system; its code is ENOTSUP there.
 */
export async function makeFolders(path: string): Promise<void> {
  if (await isMade(path)) return;
  const parent = dirname(path);
  if (parent !== path && !(await isFolder(parent))) await makeFolders(parent);
  // Someone else may have made the parent since the first try.
  if (parent === path || !(await isMade(path))) throw refusedBy(parent);
}

/** False where the system answers that the parent is missing. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    // Also for codes other than EEXIST: a root and a mounted folder have their own.
    if (await isFolder(path)) return true;
    throw error;
  }
}

/** Not ENOENT, which would say that `parent` is missing. */
function refusedBy(parent: string): Error {
  return Object.assign(new Error(`${parent} does not accept folders`), { code: "ENOTSUP" });
}
