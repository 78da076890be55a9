/** Finds data and programs that some checks need and that are not part of the repository. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where they lie if no environment variable says otherwise: beside the clone. */
const SHARED = new URL("../../../shared/", import.meta.url);

/** Whether checks that cannot run must fail instead of being skipped. */
export function isRequired(): boolean {
  return process.env["CI"] === "true";
}

/**
 * The folder that an environment variable names, else `../shared/<path>`; empty, after printing why, when there is
 * none: the checks are skipped.
 * @throws when the variable names no folder, or when there is none and the checks must run
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
