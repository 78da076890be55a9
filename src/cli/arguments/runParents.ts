/** Finds the folders that contain runs. */

import { join, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runParent } from "../../node/runPaths.ts";
import { checkConfig } from "../../trainer/config/configFiles.ts";
import type { Invocation } from "../terminal/invocation.ts";
import { CONFIG_FILE } from "./flags.ts";

export interface PlaceOptions {
  readonly fileSystem: FileSystem;
  readonly invocation: Invocation;
}

const PROJECT_CONFIGS = ["tinker-config.yaml", "tinker-config.yml", "tinker-config.json"];

/** `path` is a folder of runs, a project, or a configuration; null = the working directory. */
export async function parentFolders(
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
export async function foldersBelow(
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
export async function namedFolder(
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
