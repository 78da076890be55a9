/** The thread that reads a tokenizer: it compiles one model folder, hands it over and ends. */

import { parentPort, workerData } from "node:worker_threads";
import { AppError, errorMessage } from "../../core/errors.ts";
import { compileModel, transferables } from "./compiledModel.ts";
import type { CompileAnswer } from "./compileInThread.ts";

async function answer(folder: string): Promise<CompileAnswer> {
  try {
    return { kind: "compiled", model: await compileModel(folder) };
  } catch (error) {
    if (!(error instanceof AppError)) return { kind: "crashed", message: errorMessage(error) };
    const { code, message, data, configPath } = error;
    return { kind: "refused", code, message, data, configPath };
  }
}

const done = await answer(String(workerData));
parentPort?.postMessage(done, done.kind === "compiled" ? transferables(done.model) : []);
