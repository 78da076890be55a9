/** Normalizes paths of runs and configurations, which lists, trainers and the editor spell differently on Windows. */

import { posix, win32 } from "node:path";
import { withSmallDrive } from "../core/util/driveLetter.ts";
import type { RunFile } from "../shared/runFile.ts";

/** `folder` as this program identifies runs: system separators, lowercase drive letter as in the editor, no trailing separator. */
export function runFolder(folder: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== "win32") return posix.normalize(folder).replace(/(?<=.)\/$/, "");
  return withSmallDrive(win32.normalize(folder).replace(/(?<=.)\\$/, ""));
}

/** True if the run was started from the configuration at `path`, regardless of how the paths are spelled. */
export function isOfConfig(
  { file }: { readonly file: Pick<RunFile, "configPath"> | null },
  path: string,
): boolean {
  return file !== null && runFolder(file.configPath) === runFolder(path);
}
