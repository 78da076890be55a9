/** Finds data and programs that some checks need and that are not part of the repository. */

import { existsSync } from "node:fs";

/**
 * The folder that an environment variable names; empty, after printing why, when it is not set: the checks are skipped.
 * @throws when it is set and there is no such folder
 */
export function kitFolder(variable: string, what: string): string {
  const folder = process.env[variable] ?? "";
  if (folder === "")
    console.warn(`Skipped: ${variable} is not set. It names a folder with ${what}.`);
  else if (!existsSync(folder)) throw new Error(`${variable} names no folder: ${folder}`);
  return folder;
}
