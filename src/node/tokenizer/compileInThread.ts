/** Loads a tokenizer in a worker thread, so that this thread can keep serving its sockets. */

import { Worker } from "node:worker_threads";
import type { ErrorCode } from "../../core/errorCodes.ts";
import { AppError, errorMessage } from "../../core/errors.ts";
import { type CacheEntry, cacheEntry, readCompiled } from "./compiledCache.ts";
import type { CompiledModel } from "./compiledModel.ts";

/** Input of the worker. */
export interface CompileJob {
  readonly folder: string;
  /** Where to cache the result; null = nowhere. */
  readonly entry: CacheEntry | null;
}

/** The worker's single answer. */
export type CompileAnswer =
  | { readonly kind: "compiled"; readonly model: CompiledModel }
  | {
      readonly kind: "refused";
      readonly code: ErrorCode;
      readonly message: string;
      readonly data: Readonly<Record<string, unknown>>;
      readonly configPath: string | undefined;
    }
  | { readonly kind: "crashed"; readonly message: string };

export interface ThreadOptions {
  /** The bundled `compileWorker.ts`. */
  readonly workerPath: string;
  /** Where compiled models are cached; null = nowhere. */
  readonly cacheFolder: string | null;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Like `compileModel(folder)`, but reuses the cached result if the files are unchanged.
 * @throws AppError `tokenizer-not-found`, `tokenizer-unsupported`, `tokenizer-thread` if the thread itself fails; the reason of `signal` if
 * aborted
 */
export async function compileInThread(
  folder: string,
  { workerPath, cacheFolder, signal }: ThreadOptions,
): Promise<CompiledModel> {
  const entry = cacheFolder === null ? null : await cacheEntry(cacheFolder, folder, workerPath);
  const kept = entry === null ? null : await readCompiled(entry);
  signal?.throwIfAborted();
  if (kept !== null) return kept;
  const job: CompileJob = { folder, entry };
  const worker = new Worker(workerPath, { workerData: job });
  let abort = (): void => undefined;
  try {
    const answer = await new Promise<CompileAnswer>((resolve, reject) => {
      abort = () => reject(signal?.reason);
      signal?.addEventListener("abort", abort);
      const crashed = (message: string): void => resolve({ kind: "crashed", message });
      worker.once("message", resolve);
      worker.once("error", (error) => crashed(errorMessage(error)));
      worker.once("exit", (code) => crashed(`it ended with code ${code}`));
    });
    return modelOf(folder, answer);
  } finally {
    signal?.removeEventListener("abort", abort);
    await worker.terminate();
  }
}

function modelOf(folder: string, answer: CompileAnswer): CompiledModel {
  switch (answer.kind) {
    case "compiled":
      return answer.model;
    case "refused": {
      const { code, message, data, configPath } = answer;
      throw new AppError(code, message, configPath === undefined ? { data } : { data, configPath });
    }
    case "crashed":
      throw new AppError(
        "tokenizer-thread",
        `The tokenizer in ${folder} could not be read: ${answer.message.replace(/\.$/, "")}. Start again; if it happens again, free some memory.`,
        { data: { folder } },
      );
  }
}
