/** Loads a run's tokenizer in the background and records its origin. */

import { join } from "node:path";
import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { compileInThread } from "../../node/tokenizer/compileInThread.ts";
import { createModelTokenizer } from "../../node/tokenizer/modelTokenizer.ts";
import type { LocalPrograms } from "../services/localServices.ts";
import { type TokenizerOptions, tokenizerFolder } from "./tokenizerFolder.ts";

/** Finds the tokenizer as `tokenizerFolder` does and reads it in a worker thread. @throws AppError `tokenizer-*` */
export async function loadTokenizer(
  name: string,
  programs: LocalPrograms,
  configPath: string,
  options: TokenizerOptions = {},
): Promise<ModelTokenizer> {
  const found = await tokenizerFolder(name, programs, configPath, options);
  const { folder, source, commit, cacheFolder } = found;
  const { signal } = options;
  const compiled = await compileInThread(folder, {
    workerPath: join(programs.folder, "tokenizerWorker.js"),
    cacheFolder,
    signal,
  });
  const { tokenizer: tokenizerSha256, template: templateSha256 } = compiled.digests;
  return {
    ...createModelTokenizer(folder, compiled, join(programs.folder, "encodeWorker.js")),
    origin: { name, source, revision: commit, tokenizerSha256, templateSha256 },
  };
}
