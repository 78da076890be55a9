/**
 * Which configuration a start uses: the file the user named, even if it leads to a run to resume; otherwise the one recorded in the run
 * folder. The trainer and the editor that gives it keys share this code, so that what the editor approved is what the trainer runs.
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

/** What to train. */
export type StartRequest = {
  /** Each `key=value`, on top of the file's settings; a resumed run keeps its earlier overrides before these. */
  readonly overrides: readonly string[];
} & (
  | { readonly configPath: string }
  | {
      readonly resume: string;
      /** The configuration the user named for the run; absent = the one recorded in its folder. */
      readonly named?: NamedConfig | undefined;
    }
);

/** A configuration file with overrides. */
export interface NamedConfig {
  readonly configPath: string;
  /** `key=value` each. */
  readonly overrides: readonly string[];
}

export interface StartConfig {
  /** Current content of the file. */
  readonly text: string;
  /** Absolute. */
  readonly path: string;
  /** The path for messages. */
  readonly shownPath: string;
  /** All effective overrides, as `key=value`. */
  readonly overrides: readonly string[];
  /** The run folder to continue with; null = a new run. */
  readonly folder: string | null;
  /** True if the resumed run's file no longer exists and `text` is the run's own copy. */
  readonly isOwnCopy: boolean;
  /** What the user named: a file's text, and overrides. Null = only a run folder, which may come from a stranger. */
  readonly named: { readonly text: string; readonly overrides: readonly string[] } | null;
}

/** Maximum number of overrides, because each is compared with all others. */
const MAX_OVERRIDES = 1_000;
const overrideTexts = z.array(z.string()).max(MAX_OVERRIDES);

/** Only loads, without validation. @throws AppError `config-not-found`, `run-not-found`, `folder-unsafe`, `run-file-invalid` */
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

/** The text of a configuration. @throws AppError `config-not-found` with `path` as given */
export async function readConfig(fileSystem: FileSystem, path: string): Promise<string> {
  const text = await fileSystem.readText(resolve(path), MAX_BYTES.config).catch(absent(null));
  if (text !== null) return text;
  throw new AppError(
    "config-not-found",
    `${path}: error: the configuration file does not exist. Check the path, or start from examples/local/tinker-config.yaml.`,
  );
}

/** Equal for starts that train the same thing. */
export function startDigest({ folder, path, text, overrides }: StartConfig): string {
  return sha256(JSON.stringify([folder, path, text, overrides]));
}

/**
 * Uses the file the user named, with the run's overrides. Without one, uses the file recorded in the run as it is now, or the run's own
 * copy if that file no longer exists.
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

/** The run folder that `resume_from` refers to; null for a checkpoint, no value, or `auto` without a run. */
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
 * The overrides with which a run was started and resumed so far. One without a value, possible in older runs, means null.
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
