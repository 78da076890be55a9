/** Folders and names of a configuration's runs. */

import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import type { Config } from "../core/config/fields/schema.ts";
import { folderName } from "../core/runFolder/runFolder.ts";
import { plainName } from "../core/sweeps/runNames.ts";

/** The folder that contains all runs: `log_path` relative to the configuration's folder, or `.tinker-rl/runs` next to it. */
export function runParent(
  { log_path: given }: Pick<Config, "log_path">,
  configPath: string,
): string {
  const folder = dirname(configPath);
  if (given === null) return join(folder, ".tinker-rl", "runs");
  return isAbsolute(given) ? given : resolve(folder, given);
}

/** A run's folder as it is written in a configuration. */
export function writtenPath(folder: string, configPath: string): string {
  return relative(dirname(configPath), folder).replaceAll("\\", "/");
}

/** `run_name`, otherwise the name for a tracker, otherwise the configuration's file name, plus the stage name for a single stage. */
export function runName(config: Config, configPath: string): string {
  const named = config.run_name ?? config.wandb_run_name ?? config.openreward_run_name;
  if (named !== null) return named;
  const ofFile = basename(configPath, extname(configPath));
  return config.stage === null ? ofFile : `${ofFile}.${plainName(config.stage)}`;
}

/** Folder of a configuration's first run; later runs append a number. */
export function firstRunPath(config: Config, configPath: string): string {
  return join(runParent(config, configPath), folderName(runName(config, configPath)));
}
