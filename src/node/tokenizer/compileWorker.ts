/** Worker that loads a tokenizer: compiles one model folder, caches and sends the result, and exits. */

import { parentPort, workerData } from "node:worker_threads";
import { AppError, errorMessage } from "../../core/errors.ts";
import { keepCompiled } from "./compiledCache.ts";
import { compileModel, transferables } from "./compiledModel.ts";
import type { CompileAnswer, CompileJob } from "./compileInThread.ts";

async function answer({ folder, entry }: CompileJob): Promise<CompileAnswer> {
  try {
    const model = await compileModel(folder);
    if (entry !== null) await keepCompiled(entry, model);
    return { kind: "compiled", model };
  } catch (error) {
    if (!(error instanceof AppError)) return { kind: "crashed", message: errorMessage(error) };
    const { code, message, data, configPath } = error;
    return { kind: "refused", code, message, data, configPath };
  }
}

const done = await answer(workerData as CompileJob); // sent by the program that started this thread
parentPort?.postMessage(done, done.kind === "compiled" ? transferables(done.model) : []);
