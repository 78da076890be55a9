/** Creates a folder and its ancestors. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./errorCode.ts";
import { isFolder } from "./isFolder.ts";

/**
 * Replaces Node's recursive `mkdir`, which loops forever if the parent exists but the system still answers ENOENT, as in `/proc`. Rejects
 * with the system's error, or ENOTSUP in that case.
 */
export async function makeFolders(path: string): Promise<void> {
  if (await isMade(path)) return;
  const parent = dirname(path);
  if (parent !== path && !(await isFolder(parent))) await makeFolders(parent);
  // Someone else may have created the parent since the first try.
  if (parent === path || !(await isMade(path))) throw refusedBy(parent);
}

/** False if the system reports a missing parent. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    // Also for codes other than EEXIST: roots and mount points have their own.
    if (await isFolder(path)) return true;
    throw error;
  }
}

/** Not ENOENT, which would mean that `parent` is missing. */
function refusedBy(parent: string): Error {
  return Object.assign(new Error(`${parent} does not accept folders`), { code: "ENOTSUP" });
}
