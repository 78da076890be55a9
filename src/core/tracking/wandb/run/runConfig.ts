/** The configuration of a run for W&B, as it is stored, redacted, in the run folder. */

import { isJsonObject, type JsonObject } from "../../../json.ts";
import type { FolderFiles } from "../../../ports.ts";
import { runPaths } from "../../../runFolder/files/layout.ts";
import { MAX_BYTES } from "../../../runFolder/files/wholeFiles.ts";
import type { Redactor } from "../../../secrets/redaction/redactor.ts";
import { parseJson } from "../../../util/jsonl.ts";

export interface RunConfigOptions {
  readonly fileSystem: FolderFiles;
  readonly redactor: Redactor;
  /** The run folder. */
  readonly folder: string;
  /** The user's home folder, whose path names the user; null = there is none. */
  readonly homeFolder: string | null;
}

export interface RunConfig {
  /** With all defaults. */
  readonly config: JsonObject;
  /** As the user wrote it. */
  readonly text: string;
  readonly saveEvery: number;
}

/** @throws AppError `file-not-found`, `file-unreadable` */
export async function readRunConfig(options: RunConfigOptions): Promise<RunConfig> {
  const { fileSystem, folder, redactor, homeFolder } = options;
  const paths = runPaths(folder);
  const withoutHome = (text: string): string =>
    homeFolder === null || homeFolder.length < 2 ? text : text.replaceAll(homeFolder, "~");
  const resolved = await fileSystem.readText(paths.resolvedConfig, MAX_BYTES.resolvedConfig);
  const inText = homeFolder === null ? "" : JSON.stringify(homeFolder).slice(1, -1);
  const value = parseJson(inText === "" ? resolved : resolved.replaceAll(inText, "~"))?.value;
  const config = isJsonObject(value) ? value : {};
  const { save_every } = config;
  return {
    config: redactor.redactRecord(config),
    text: withoutHome(redactor.redact(await fileSystem.readText(paths.config, MAX_BYTES.config))),
    saveEvery: typeof save_every === "number" ? save_every : 0,
  };
}
