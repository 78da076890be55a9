/** Tells a run folder from other folders. */

import { AppError, isAppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";

/** @throws AppError `run-not-found`, with the runs that lie below the folder */
export async function requireRun(fileSystem: FileSystem, folder: string): Promise<void> {
  if (await isRun(fileSystem, folder)) return;
  const runs: string[] = [];
  for (const name of await fileSystem.list(folder)) {
    if (await isRunFolder(fileSystem, `${folder}/${name}`)) runs.push(name);
  }
  throw new AppError(
    "run-not-found",
    `${folder} is not a run folder: it has neither run.json nor metrics.jsonl. ${
      runs.length === 0
        ? "Specify a run folder; by default they are in .tinker-rl/runs next to the configuration"
        : `Specify one of the runs in it: ${runs.join(", ")}`
    }.`,
  );
}

/** As {@link isRun}, for names that may be plain files. */
async function isRunFolder(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    return await isRun(fileSystem, path);
  } catch (error) {
    if (isAppError(error, "file-unreadable")) return false;
    throw error;
  }
}

/** True for a folder in which a run was begun. @throws AppError `file-unreadable` for a plain file */
export async function isRun(fileSystem: FileSystem, folder: string): Promise<boolean> {
  const { runFile, metrics } = runPaths(folder);
  return ((await fileSystem.size(runFile)) ?? (await fileSystem.size(metrics))) !== null;
}
