/** Finds the folder of a model's tokenizer: beside the program for the embedded model, else what the resolver finds. */

import { dirname, join } from "node:path";
import { isLocalModel } from "../core/config/presets.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { createHttpClient } from "../node/http.ts";
import type { DownloadProgress } from "../node/tokenizer/hubDownload.ts";
import { loadHubSettings } from "../node/tokenizer/hubSettings.ts";
import { resolveTokenizer } from "../node/tokenizer/resolve.ts";
import type { LocalPrograms } from "./localServices.ts";
import { loadVariables } from "./variables.ts";

interface TokenizerOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
}

/** `name` is a `local/` model, a folder (relative ones from the configuration's) or a model id. @throws AppError `tokenizer-*` */
export async function tokenizerFolder(
  name: string,
  programs: LocalPrograms,
  configPath: string,
  options: TokenizerOptions = {},
): Promise<string> {
  if (isLocalModel(name)) return join(programs.folder, "model");
  const configFolder = dirname(configPath);
  const variables = await loadVariables(configFolder);
  const hub = await loadHubSettings(process.env, variables("HF_TOKEN")?.value ?? null);
  const http = createHttpClient();
  const files = createFileSystem();
  try {
    const sources = { hub, http, files, ...options };
    const request = { name, configFolder };
    return (await resolveTokenizer(sources, request)).folder;
  } finally {
    await Promise.all([http.close(), files.close()]);
  }
}
