/**
 * Which configuration a start trains with: the file that the user names, also where it leads to a run to continue with; else the one that the run folder names. The trainer and an editor that gives it
 * keys both ask here, so that what the editor judged is what the trainer runs.
 */

import { dirname, resolve } from "node:path";
import * as z from "zod";
import { parseAssignment } from "../core/config/overrides.ts";
import { lastOfEach } from "../core/config/overrideWords.ts";
import { parseConfig } from "../core/config/parse.ts";
import { AppError, absent } from "../core/errors.ts";
import type { FileSystem, FolderFiles } from "../core/ports.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../core/runFolder/files/wholeFiles.ts";
import { requireRunFile } from "../core/runFolder/runFile.ts";
import { parseJson } from "../core/util/jsonl.ts";
import { sha256 } from "./hash.ts";
import { firstRunPath } from "./runPaths.ts";

/** What is to be trained. */
export type StartRequest = {
  /** `key=value` each, over those of the file; a resumed run keeps those that it had before them. */
  readonly overrides: readonly string[];
} & (
  | { readonly configPath: string }
  | {
      readonly resume: string;
      /** The configuration that the user names for the run; absent = the one that its folder names. */
      readonly named?: NamedConfig | undefined;
    }
);

/** A configuration by its file, with what is set beside it. */
export interface NamedConfig {
  readonly configPath: string;
  /** `key=value` each. */
  readonly overrides: readonly string[];
}

export interface StartConfig {
  /** The file as it stands. */
  readonly text: string;
  /** Absolute. */
  readonly path: string;
  /** The path as messages name it. */
  readonly shownPath: string;
  /** All that hold, as `key=value`. */
  readonly overrides: readonly string[];
  /** The run folder to continue with; null = a new run. */
  readonly folder: string | null;
  /** True when the file of a resumed run no longer exists, and the text is the run's own copy. */
  readonly isOwnCopy: boolean;
  /** What the user named: the text of a file, and overrides beside it. Null = a run folder alone, which may come from a stranger. */
  readonly named: { readonly text: string; readonly overrides: readonly string[] } | null;
}

/** Bounds the overrides of a run, because each is compared with all others. */
const MAX_OVERRIDES = 1_000;
const overrideTexts = z.array(z.string()).max(MAX_OVERRIDES);

/** Nothing is judged yet. @throws AppError `config-not-found`, `run-not-found`, `folder-unsafe`, `run-file-invalid` */
export async function startConfig(
  fileSystem: FileSystem,
  startRequest: StartRequest,
): Promise<StartConfig> {
  const { overrides } = startRequest;
  if ("resume" in startRequest) {
    const { resume, named } = startRequest;
    const file = named === undefined ? null : await readNamed(fileSystem, named);
    return runConfig(fileSystem, resolve(resume), overrides, file);
  }
  const file = await readNamed(fileSystem, startRequest);
  const { text, path } = file;
  const folder = await runToResume(fileSystem, { text, path, overrides });
  if (folder !== null) return runConfig(fileSystem, folder, overrides, file);
  return { ...file, folder, isOwnCopy: false, named: { text, overrides } };
}

type NamedFile = Pick<StartConfig, "text" | "path" | "shownPath" | "overrides">;

async function readNamed(
  fileSystem: FileSystem,
  { configPath: shownPath, overrides }: NamedConfig,
): Promise<NamedFile> {
  const text = await readConfig(fileSystem, shownPath);
  return { text, path: resolve(shownPath), shownPath, overrides };
}

/** The text of a configuration. @throws AppError `config-not-found`, naming `path` as it is given */
export async function readConfig(fileSystem: FileSystem, path: string): Promise<string> {
  const text = await fileSystem.readText(resolve(path), MAX_BYTES.config).catch(absent(null));
  if (text !== null) return text;
  throw new AppError(
    "config-not-found",
    `${path}: error: the configuration file does not exist. Check the path, or start from examples/local/tinker-config.yaml.`,
  );
}

/** Equal for starts that train the same. */
export function startDigest({ folder, path, text, overrides }: StartConfig): string {
  return sha256(JSON.stringify([folder, path, text, overrides]));
}

/**
 * The file that the user names, with the overrides of the run. Without one the file that the run names, as it stands now, or the run's
 * own copy when that file no longer exists.
 */
async function runConfig(
  fileSystem: FileSystem,
  folder: string,
  added: readonly string[],
  file: NamedFile | null,
): Promise<StartConfig> {
  const files = fileSystem.within(folder);
  await files.requireSafe();
  const runFile = await requireRunFile(files, folder);
  const overrides = lastOfEach([...(await readOverrides(files, folder)), ...added]);
  if (file !== null) {
    const named = { text: file.text, overrides: file.overrides };
    return { ...file, overrides, folder, isOwnCopy: false, named };
  }
  const path = resolve(folder, runFile.configPath);
  const written = await fileSystem.readText(path, MAX_BYTES.config).catch(absent(null));
  const text =
    written ?? (await files.readText(runPaths(folder).resolvedConfig, MAX_BYTES.resolvedConfig));
  const isOwnCopy = written === null;
  return { text, path, shownPath: path, overrides, folder, isOwnCopy, named: null };
}

/** The run folder that `resume_from` names, or null when it names a checkpoint, nothing, or `auto` finds nothing. */
async function runToResume(
  fileSystem: FileSystem,
  { text, path, overrides }: Pick<StartConfig, "text" | "path" | "overrides">,
): Promise<string | null> {
  const parsed = parseConfig(text, { path, overrides });
  const from = parsed.ok ? parsed.config.resume_from : null;
  if (!parsed.ok || from === null || from.startsWith("tinker://")) return null;
  if (from !== "auto") return resolve(dirname(path), from);
  const folder = firstRunPath(parsed.config, path);
  return (await fileSystem.size(runPaths(folder).state)) === null ? null : folder;
}

/**
 * The overrides that a run was started and resumed with so far. One without a value, which older runs may have, meant null.
 * @throws AppError `run-file-invalid`
 */
export async function readOverrides(
  fileSystem: FolderFiles,
  folder: string,
): Promise<readonly string[]> {
  const path = runPaths(folder).overrides;
  const text = await fileSystem.readText(path, MAX_BYTES.overrides).catch(absent(null));
  if (text === null) return [];
  const parsed = overrideTexts.safeParse(parseJson(text)?.value);
  if (parsed.success) {
    return parsed.data.map((each) =>
      parseAssignment(each)?.value.trim() === "" ? `${each.trimEnd()}null` : each,
    );
  }
  throw new AppError(
    "run-file-invalid",
    `${path} is damaged: it should contain a list of overrides. Correct it, or remove it to resume without them.`,
    { cause: parsed.error },
  );
}
