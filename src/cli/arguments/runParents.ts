/** Finds runs, and the folders that contain them. */

import { basename, dirname, join, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { type ListedRun, listRuns, readRun } from "../../core/runs/runList.ts";
import { runParent } from "../../node/runPaths.ts";
import { checkConfig } from "../../trainer/config/configFiles.ts";
import type { Invocation } from "../terminal/invocation.ts";
import { CONFIG_FILE } from "./flags.ts";
import type { ProgramOptions } from "./programOptions.ts";

interface PlaceOptions {
  readonly fileSystem: FileSystem;
  readonly invocation: Invocation;
}

export interface FoundRuns {
  /** Where runs were looked for first; empty for a run itself. */
  readonly places: readonly string[];
  /** The folders with runs, each newest first. */
  readonly lists: readonly RunsOfFolder[];
}

interface RunsOfFolder {
  readonly parent: string;
  readonly runs: readonly ListedRun[];
}

const PROJECT_CONFIGS = ["tinker-config.yaml", "tinker-config.yml", "tinker-config.json"];

/**
 * `path` is a run, a folder of runs, a project, or a configuration; null = the working directory. Where there are none, they are looked for
 * one level down.
 * @throws AppError `config-not-found`, `file-not-found`, `file-unreadable`
 */
export async function runsAt(
  options: PlaceOptions & Pick<ProgramOptions, "clock" | "isProcessAlive">,
  path: string | null,
): Promise<FoundRuns> {
  const { fileSystem, clock, isProcessAlive } = options;
  const liveness = { nowMs: clock.now(), isProcessAlive };
  const folder = await namedFolder(options, path);
  const single =
    folder === null
      ? null
      : await readRun(fileSystem, { name: basename(folder), folder }, liveness);
  if (folder !== null && single !== null) {
    return { places: [], lists: [{ parent: dirname(folder), runs: [single] }] };
  }
  const places = new Set(await parentFolders(options, path));
  const listsIn = async (folders: Iterable<string>): Promise<readonly RunsOfFolder[]> => {
    const found: RunsOfFolder[] = [];
    for (const parent of folders) {
      const runs = await listRuns(fileSystem, parent, liveness).catch((error: unknown) => {
        if (places.has(parent)) throw error;
        return []; // a plain file one level down
      });
      if (runs.length > 0) found.push({ parent, runs });
    }
    return found;
  };
  const here = await listsIn(places);
  const lists = here.length > 0 ? here : await listsIn(await foldersBelow(options, path));
  return { places: [...places], lists };
}

/** `path` is a folder of runs, a project, or a configuration; null = the working directory. */
async function parentFolders(
  { fileSystem, invocation }: PlaceOptions,
  path: string | null,
): Promise<readonly string[]> {
  const folder = resolve(invocation.cwd, path ?? ".");
  if (path !== null && CONFIG_FILE.test(path)) return [await parentOf(fileSystem, folder)];
  const parents = [folder, runParent({ log_path: null }, join(folder, "any"))];
  for (const name of PROJECT_CONFIGS) {
    const config = join(folder, name);
    if ((await fileSystem.size(config)) !== null) parents.push(await parentOf(fileSystem, config));
  }
  return parents;
}

/** Where runs may be one level down: each entry of `path`, plain files included, and its default run folder; none for a configuration. */
async function foldersBelow(
  { fileSystem, invocation }: PlaceOptions,
  path: string | null,
): Promise<readonly string[]> {
  if (path !== null && CONFIG_FILE.test(path)) return [];
  const folder = resolve(invocation.cwd, path ?? ".");
  return (await fileSystem.list(folder)).flatMap((name) => {
    const inside = join(folder, name);
    return [inside, runParent({ log_path: null }, join(inside, "any"))];
  });
}

/** The folder that `path` names; null for a configuration, and for the working directory. @throws AppError `file-not-found` */
async function namedFolder(
  { fileSystem, invocation }: PlaceOptions,
  path: string | null,
): Promise<string | null> {
  if (path === null || CONFIG_FILE.test(path)) return null;
  const folder = resolve(invocation.cwd, path);
  if ((await fileSystem.size(folder)) !== null) return folder;
  throw new AppError("file-not-found", l10n.t("{0} does not exist. Check the path.", folder));
}

/** The configuration's run folder, or the default one if the configuration is invalid. */
async function parentOf(fileSystem: FileSystem, configPath: string): Promise<string> {
  const { result } = await checkConfig(fileSystem, configPath);
  return runParent(result.ok ? result.config : { log_path: null }, configPath);
}
