/** The configuration on its way from the user's file into a run folder. */

import { basename, dirname, extname, isAbsolute, join, resolve } from "node:path";
import { parseConfig } from "../core/config/parse.ts";
import { describeProblem } from "../core/config/problem.ts";
import type { Config } from "../core/config/schema.ts";
import { AppError, isAppError } from "../core/errors.ts";
import type { FileSystem } from "../core/ports.ts";
import { runPaths } from "../core/run/layout.ts";
import type { Redactor } from "../core/secrets/redact.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** The file as it stands. */
  readonly text: string;
  /** Absolute. */
  readonly path: string;
  /** One line each, as `path:line:col: warning: …`. */
  readonly warnings: readonly string[];
}

/** @throws AppError `config-invalid` with one line per problem, `config-not-found` */
export async function loadConfig(fileSystem: FileSystem, path: string): Promise<LoadedConfig> {
  const absolute = resolve(path);
  const text = await readConfigText(fileSystem, absolute, path);
  const result = parseConfig(text, { path: absolute });
  if (!result.ok) {
    const lines = result.problems.map((problem) => describeProblem(problem, path));
    throw new AppError("config-invalid", lines.join("\n"), { data: { problems: lines.length } });
  }
  const warnings = result.warnings.map((problem) => describeProblem(problem, path));
  return { config: result.config, text, path: absolute, warnings };
}

async function readConfigText(
  fileSystem: FileSystem,
  absolute: string,
  shown: string,
): Promise<string> {
  try {
    return await fileSystem.readText(absolute);
  } catch (cause) {
    if (!isAppError(cause, "file-not-found")) throw cause;
    throw new AppError(
      "config-not-found",
      `${shown}: error: there is no such configuration file. Check the path, or start from examples/local/tinker-config.yaml.`,
      { cause },
    );
  }
}

/** The folder that holds all runs: `log_path` from the configuration's folder, or `.tinker-rl/runs` beside it. */
export function runParent(config: Config, configPath: string): string {
  const folder = dirname(configPath);
  const { log_path: given } = config;
  if (given === null) return join(folder, ".tinker-rl", "runs");
  return isAbsolute(given) ? given : resolve(folder, given);
}

/** `run_name`, else the name given to a tracker, else the configuration file's own name. */
export function runName(config: Config, configPath: string): string {
  const named = config.run_name ?? config.wandb_run_name ?? config.openreward_run_name;
  return named ?? basename(configPath, extname(configPath));
}

/** Keeps the configuration with the run, once as written and once with every default, both without secrets. */
export async function writeConfigFiles(
  fileSystem: FileSystem,
  folder: string,
  loaded: LoadedConfig,
  redactor: Redactor,
): Promise<void> {
  const paths = runPaths(folder);
  const resolved = JSON.stringify(redactor.cleanJson(redactSecrets(loaded.config)), null, 2);
  await fileSystem.writeAtomic(paths.config, redactor.clean(loaded.text));
  await fileSystem.writeAtomic(paths.resolvedConfig, `${resolved}\n`);
}

/** Values written into `secrets` maps, whatever they are: null in a map means "look it up", which is what a reader may do. */
export function redactSecrets(config: Config): Config {
  const hide = (secrets: Config["secrets"]): Config["secrets"] =>
    secrets === null ? null : Object.fromEntries(Object.keys(secrets).map((name) => [name, null]));
  const environments = Object.entries(config.environments).map(
    ([name, own]) => [name, { ...own, secrets: hide(own.secrets) }] as const,
  );
  return {
    ...config,
    secrets: hide(config.secrets),
    environments: Object.fromEntries(environments),
  };
}

/** Values in `secrets` maps as the redactor should know them before anything is written. */
export function writtenSecrets(config: Config): readonly string[] {
  const maps = [
    config.secrets,
    ...Object.values(config.environments).map(({ secrets }) => secrets),
  ];
  return maps
    .flatMap((map) => Object.values(map ?? {}))
    .filter((value): value is string => value !== null && value !== "");
}
