/** Where the runs of a configuration lie, and what they are called. */

import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import type { Config } from "../core/config/fields/schema.ts";
import { folderName } from "../core/runFolder/runFolder.ts";
import { plainName } from "../core/sweeps/runNames.ts";

/** The folder that holds all runs: `log_path` from the configuration's folder, or `.tinker-rl/runs` beside it. */
export function runParent(
  { log_path: given }: Pick<Config, "log_path">,
  configPath: string,
): string {
  const folder = dirname(configPath);
  if (given === null) return join(folder, ".tinker-rl", "runs");
  return isAbsolute(given) ? given : resolve(folder, given);
}

/** The folder of a run as its configuration names it. */
export function writtenPath(folder: string, configPath: string): string {
  return relative(dirname(configPath), folder).replaceAll("\\", "/");
}

/** `run_name`, else the name given to a tracker, else the configuration file's own name; the run of one stage has its name, too. */
export function runName(config: Config, configPath: string): string {
  const named = config.run_name ?? config.wandb_run_name ?? config.openreward_run_name;
  if (named !== null) return named;
  const ofFile = basename(configPath, extname(configPath));
  return config.stage === null ? ofFile : `${ofFile}.${plainName(config.stage)}`;
}

/** Where the first run of a configuration lies; those that follow have a number behind their name. */
export function firstRunPath(config: Config, configPath: string): string {
  return join(runParent(config, configPath), folderName(runName(config, configPath)));
}
