/** Loads the user's configuration and stores it in the run folder. */

import { resolve } from "node:path";
import { type CheckedText, checkText } from "../../core/config/check.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import type { AppliedOverride } from "../../core/config/overrides.ts";
import { type ParseResult, parseChecked } from "../../core/config/parse.ts";
import { redactSecrets, withoutSecretValues } from "../../core/config/secretValues.ts";
import { describeProblem } from "../../core/config/source/problem.ts";
import { AppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { readConfig, type StartConfig } from "../../node/startConfig.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** The file's text. */
  readonly text: string;
  /** Absolute. */
  readonly path: string;
  /** One line each, as `path:line:col: warning: …`. */
  readonly warnings: readonly string[];
  /** Settings given in addition to the file, in order. */
  readonly overrides: readonly AppliedOverride[];
}

export interface CheckedConfig {
  readonly text: string;
  /** Absolute. */
  readonly path: string;
  readonly whole: CheckedText;
  readonly result: ParseResult;
  /** Problems or warnings, one line each. */
  readonly lines: readonly string[];
}

/** Reads and checks a configuration but does not throw on problems. @throws AppError `config-not-found` */
export async function checkConfig(
  fileSystem: FileSystem,
  path: string,
  overrides: readonly string[] = [],
): Promise<CheckedConfig> {
  const text = await readConfig(fileSystem, path);
  return { text, path: resolve(path), ...judgeText(text, { path, overrides }) };
}

/** @throws AppError `config-invalid` with one line per problem, `config-not-found` */
export async function loadConfig(
  fileSystem: FileSystem,
  path: string,
  overrides: readonly string[] = [],
): Promise<LoadedConfig> {
  return requireSound(await checkConfig(fileSystem, path, overrides));
}

/** The configuration that a run starts with. @throws AppError `config-invalid` */
export function loadStart(start: StartConfig): LoadedConfig {
  const { text, path, shownPath, overrides } = start;
  const loaded = requireSound({ text, path, ...judgeText(text, { path: shownPath, overrides }) });
  if (!start.isOwnCopy) return loaded;
  const warning = `${shownPath}: warning: the configuration file no longer exists; the run continues with its own copy`;
  return { ...loaded, warnings: [warning, ...loaded.warnings] };
}

/** A configuration from a text in place of the file at `path`. @throws AppError `config-invalid` */
export function loadConfigText(
  text: string,
  path: string,
  overrides: readonly string[],
): LoadedConfig {
  return requireSound({ text, path, ...judgeText(text, { path, overrides }) });
}

function judgeText(
  text: string,
  options: { readonly path: string; readonly overrides: readonly string[] },
): Pick<CheckedConfig, "whole" | "result" | "lines"> {
  const whole = checkText(text, options);
  const result = parseChecked(whole);
  const problems = result.ok ? result.warnings : result.problems;
  return {
    whole,
    result,
    lines: problems.map((problem) => describeProblem(problem, options.path)),
  };
}

function requireSound({ text, path, result, lines }: CheckedConfig): LoadedConfig {
  if (!result.ok) {
    throw new AppError("config-invalid", lines.join("\n"), { data: { problems: lines.length } });
  }
  return { config: result.config, text, path, warnings: lines, overrides: result.overrides };
}

/**
 * Stores the configuration with the run, once as written and once with overrides and all defaults, plus the overrides themselves;
 * all without secrets.
 */
export async function writeConfigFiles(
  fileSystem: FolderFiles,
  folder: string,
  loaded: LoadedConfig,
  redactor: Redactor,
): Promise<void> {
  const paths = runPaths(folder);
  const resolved = JSON.stringify(redactor.redactJson(redactSecrets(loaded.config)), null, 2);
  await fileSystem.writeAtomic(paths.config, redactor.redact(withoutSecretValues(loaded.text)));
  await fileSystem.writeAtomic(paths.resolvedConfig, `${resolved}\n`);
  if (loaded.overrides.length > 0) {
    const texts = loaded.overrides.map(({ text }) => redactor.redact(text));
    await fileSystem.writeAtomic(paths.overrides, `${JSON.stringify(texts, null, 2)}\n`);
  }
}
