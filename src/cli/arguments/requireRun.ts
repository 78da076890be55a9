/** Distinguishes run folders from other folders. */

import { basename, dirname } from "node:path";
import { AppError, isAppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { sweepFilePath } from "../../core/sweeps/sweepFile.ts";

/** @throws AppError `run-not-found`, listing the runs in the folder, or next to it for a sweep folder */
export async function requireRun(fileSystem: FileSystem, folder: string): Promise<void> {
  if (await isRun(fileSystem, folder)) return;
  const isSweep = await isSweepFolder(fileSystem, folder);
  const parent = isSweep ? dirname(folder) : folder;
  const runs: string[] = [];
  for (const name of await fileSystem.list(parent)) {
    const isOther = isSweep && !name.startsWith(`${basename(folder)}.`);
    if (!isOther && (await isRunFolder(fileSystem, `${parent}/${name}`))) runs.push(name);
  }
  const next =
    runs.length === 0
      ? "Specify a run folder; by default they are in .tinker-rl/runs next to the configuration."
      : `Specify one of the runs ${isSweep ? "beside" : "in"} it: ${runs.join(", ")}.`;
  throw new AppError(
    "run-not-found",
    `${folder} is not a run folder: it has neither run.json nor metrics.jsonl. ${next}`,
  );
}

/** Each once, without sweep folders, which a pattern such as `runs/NAME*` matches along with their runs. @throws AppError `run-not-found` */
export async function requireRuns(
  fileSystem: FileSystem,
  given: readonly string[],
): Promise<readonly string[]> {
  const folders = [...new Set(given)];
  const areSweeps = await Promise.all(folders.map((each) => isSweepFolder(fileSystem, each)));
  const runs = folders.filter((_, index) => areSweeps[index] === false);
  for (const folder of runs.length === 0 ? folders : runs) await requireRun(fileSystem, folder);
  return runs;
}

async function isSweepFolder(fileSystem: FileSystem, folder: string): Promise<boolean> {
  return (await fileSystem.size(sweepFilePath(folder))) !== null;
}

/** Like {@link isRun}, for names that may be regular files. */
async function isRunFolder(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    return await isRun(fileSystem, path);
  } catch (error) {
    if (isAppError(error, "file-unreadable")) return false;
    throw error;
  }
}

/** True for a folder in which a run was started. @throws AppError `file-unreadable` for a regular file */
export async function isRun(fileSystem: FileSystem, folder: string): Promise<boolean> {
  const { runFile, metrics } = runPaths(folder);
  return ((await fileSystem.size(runFile)) ?? (await fileSystem.size(metrics))) !== null;
}
