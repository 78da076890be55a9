/** The settings a run was started with, compared with those it would continue with. */

import {
  type ConfigChange,
  configChanges,
  type SettingChange,
  settingChanges,
} from "../core/config/changes.ts";
import { isLocalModel } from "../core/config/fields/presets.ts";
import { type Config, configSchemaFor } from "../core/config/fields/schema.ts";
import { redactSecrets } from "../core/config/secretValues.ts";
import { AppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { FolderFiles } from "../core/ports.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../core/runFolder/files/wholeFiles.ts";
import { restoreRedacted } from "../core/secrets/redaction/restoreRedacted.ts";
import { parseJson } from "../core/util/jsonl.ts";

export interface SettingsOfRun {
  /** Settings of the last attempt, without secrets. */
  readonly before: Config;
  /** Keys that `config` changes. */
  readonly changes: readonly ConfigChange[];
  /** The same changes with their values, without secrets. */
  readonly values: readonly SettingChange[];
}

/** @throws AppError `run-file-invalid`, `file-not-found` */
export async function settingsOfRun(
  files: FolderFiles,
  folder: string,
  config: Config,
): Promise<SettingsOfRun> {
  const now = redactSecrets(config);
  const before = await readResolved(files, folder, now);
  return { before, changes: configChanges(before, now), values: settingChanges(before, now) };
}

/** The run's copy has everything redacted that equals a secret, also a number or the name of an environment. */
async function readResolved(fileSystem: FolderFiles, folder: string, now: Config): Promise<Config> {
  const path = runPaths(folder).resolvedConfig;
  const stored = parseJson(await fileSystem.readText(path, MAX_BYTES.resolvedConfig))?.value;
  const json = restoreRedacted(stored, now);
  const isLocal = isJsonObject(json) && isLocalModel(String(json["model_name"]));
  const parsed = configSchemaFor(isLocal ? "local" : "hosted", json).safeParse(json);
  if (parsed.success) return parsed.data;
  throw new AppError(
    "run-file-invalid",
    `${path} cannot be read by this version. Use the version that wrote it, or start a new run.`,
    { cause: parsed.error },
  );
}
