/** Finds data and programs that some checks need and that are not part of the repository. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Their default location if no environment variable is set: next to the clone. */
const SHARED = new URL("../../../shared/", import.meta.url);

/** True if checks that cannot run must fail instead of being skipped. */
export function isRequired(): boolean {
  return process.env["CI"] === "true";
}

/**
 * The folder in an environment variable, else `../shared/<path>`; empty, after printing why, if there is
 * none: the checks are skipped.
 * @throws if the variable names no folder, or if there is none and the checks must run
 */
export function kitFolder(variable: string, path: string, what: string): string {
  const named = process.env[variable] ?? "";
  const folder = named === "" ? fileURLToPath(new URL(path, SHARED)) : named;
  if (existsSync(folder)) return folder;
  if (named !== "") throw new Error(`${variable} names no folder: ${folder}`);
  const message = `There is no ${folder}. Put ${what} there, or name their folder by ${variable}.`;
  if (isRequired()) throw new Error(message);
  console.warn(`Skipped. ${message}`);
  return "";
}
