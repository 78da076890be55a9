/** One spelling for a run's folder and its configuration: lists, trainers and the editor name the same one in different ways on Windows. */

import { posix, win32 } from "node:path";
import { withSmallDrive } from "../core/util/driveLetter.ts";
import type { RunFile } from "../shared/runFile.ts";

/** `folder` as this window knows runs by it: separators of the system, small drive letter as in the editor, none at the end. */
export function runFolder(folder: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== "win32") return posix.normalize(folder).replace(/(?<=.)\/$/, "");
  return withSmallDrive(win32.normalize(folder).replace(/(?<=.)\\$/, ""));
}

/** True for what was started from the configuration at `path`, whether a terminal or the editor has spelled either. */
export function isOfConfig(
  { file }: { readonly file: Pick<RunFile, "configPath"> | null },
  path: string,
): boolean {
  return file !== null && runFolder(file.configPath) === runFolder(path);
}
