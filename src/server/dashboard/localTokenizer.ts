/** Tokenizers available on this computer; downloads nothing. */

import { join } from "node:path";
import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { FileSystem } from "../../core/ports.ts";
import { createHttpClient } from "../../node/http.ts";
import { compileInThread } from "../../node/tokenizer/compileInThread.ts";
import { loadHubSettings } from "../../node/tokenizer/hubSettings.ts";
import { createModelTokenizer } from "../../node/tokenizer/modelTokenizer.ts";
import { resolveTokenizer } from "../../node/tokenizer/resolve.ts";

interface Places {
  readonly files: FileSystem;
  /** Contains the embedded model and the tokenizer worker. */
  readonly programFolder: string;
}

/**
 * The local folder of the tokenizer `name`, resolved as in a configuration in `configFolder`. @throws AppError `tokenizer-*` if it is not
 * available
 */
export async function localTokenizerFolder(
  { files, programFolder }: Places,
  request: { readonly name: string; readonly configFolder: string },
): Promise<string> {
  if (isLocalModel(request.name)) return join(programFolder, "model");
  const hub = { ...(await loadHubSettings(process.env, null)), isOffline: true };
  const http = createHttpClient();
  try {
    return (await resolveTokenizer({ hub, http, files }, request)).folder;
  } finally {
    await http.close();
  }
}

/** @throws AppError `tokenizer-*` */
export async function readTokenizer(
  programFolder: string,
  folder: string,
): Promise<ModelTokenizer> {
  const { cacheFolder } = await loadHubSettings(process.env, null);
  const workerPath = join(programFolder, "tokenizerWorker.js");
  return createModelTokenizer(folder, await compileInThread(folder, { workerPath, cacheFolder }));
}
