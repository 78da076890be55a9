/** Finds the folder of a model's tokenizer: beside the program for the embedded model, else what the resolver finds. */

import { dirname, join } from "node:path";
import { isLocalModel } from "../core/config/presets.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { createHttpClient } from "../node/http.ts";
import type { DownloadProgress } from "../node/tokenizer/hubDownload.ts";
import { loadHubSettings } from "../node/tokenizer/hubSettings.ts";
import { type FoundTokenizer, resolveTokenizer } from "../node/tokenizer/resolve.ts";
import type { LocalPrograms } from "./localServices.ts";
import { loadVariables, type Variables } from "./variables.ts";

export interface TokenizerOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Where the hub's token is looked up; absent = as a run in a terminal does. */
  readonly variables?: Variables;
}

export interface TokenizerPlace extends FoundTokenizer {
  /** Where to keep what is made of it; null = nowhere: the embedded model's is small, and its runs leave no trace. */
  readonly cacheFolder: string | null;
}

/** `name` is a `local/` model, a folder (relative ones from the configuration's) or a model id. @throws AppError `tokenizer-*` */
export async function tokenizerFolder(
  name: string,
  programs: LocalPrograms,
  configPath: string,
  { variables, ...options }: TokenizerOptions = {},
): Promise<TokenizerPlace> {
  if (isLocalModel(name)) {
    const folder = join(programs.folder, "model");
    return { folder, source: "program", commit: null, cacheFolder: null };
  }
  const configFolder = dirname(configPath);
  const found = hubToken(variables ?? (await loadVariables(configFolder)));
  const hub = await loadHubSettings(process.env, found);
  const http = createHttpClient();
  const files = createFileSystem();
  try {
    const sources = { hub, http, files, ...options };
    const tokenizer = await resolveTokenizer(sources, { name, configFolder });
    return { ...tokenizer, cacheFolder: hub.cacheFolder };
  } finally {
    await Promise.all([http.close(), files.close()]);
  }
}

/** What lies in an editor's store under this name is for environments, each for a host of its own. */
export function hubToken(variables: Variables): string | null {
  const found = variables("HF_TOKEN");
  return found === null || found.origin === "store" ? null : found.value;
}
