/** Finds the folder of a model's tokenizer: next to the program for the embedded model, else through the resolver. */

import { dirname, join } from "node:path";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { type AllowedOrigin, requireAllowedRoute } from "../../core/secrets/hostBinding.ts";
import { HUB_URL } from "../../core/services.ts";
import { createFileSystem } from "../../node/fileSystem.ts";
import { createHttpClient } from "../../node/http.ts";
import type { DownloadProgress } from "../../node/tokenizer/hubDownload.ts";
import { loadHubSettings } from "../../node/tokenizer/hubSettings.ts";
import { type FoundTokenizer, resolveTokenizer } from "../../node/tokenizer/resolve.ts";
import type { LocalPrograms } from "../services/localServices.ts";
import { loadVariables, type Variables } from "../services/variables.ts";

export const HUB_TOKEN = "HF_TOKEN";

export interface TokenizerOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Where the Hub token is looked up; absent = as for a run in a terminal. */
  readonly variables?: Variables;
  /** Origins to which the user allows keys to be sent; absent = no others. */
  readonly allowedOrigins?: readonly AllowedOrigin[];
}

export interface TokenizerPlace extends FoundTokenizer {
  /** Cache for derived files; null = none: the embedded model's tokenizer is small, and its runs leave nothing behind. */
  readonly cacheFolder: string | null;
}

/** `name` is a `local/` model, a folder (relative to the configuration), or a model id. @throws AppError `tokenizer-*`, `key-*` */
export async function tokenizerFolder(
  name: string,
  programs: LocalPrograms,
  configPath: string,
  { variables, allowedOrigins = [], ...options }: TokenizerOptions = {},
): Promise<TokenizerPlace> {
  if (isLocalModel(name)) {
    const folder = join(programs.folder, "model");
    return { folder, source: "program", commit: null, cacheFolder: null };
  }
  const configFolder = dirname(configPath);
  const lookUp = variables ?? (await loadVariables(configFolder));
  const found = lookUp(HUB_TOKEN);
  const hub = await loadHubSettings(process.env, found?.value ?? null);
  // A token from a token file is the user's own, like the Hub address, so it may be sent there.
  const token = hub.token === null ? null : (found ?? { value: hub.token, origin: "process" });
  const onAsk = (): void => {
    const keys = token === null ? [] : [{ ...token, name: HUB_TOKEN }];
    const route = { url: hub.endpoint, address: null, officialUrl: HUB_URL };
    requireAllowedRoute({ keys, ...route, allowedOrigins });
  };
  const http = createHttpClient();
  const files = createFileSystem();
  try {
    const sources = { hub, http, files, onAsk, ...options };
    const tokenizer = await resolveTokenizer(sources, { name, configFolder });
    return { ...tokenizer, cacheFolder: hub.cacheFolder };
  } finally {
    await Promise.all([http.close(), files.close()]);
  }
}
