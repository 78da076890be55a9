/** Encodes texts in a worker thread that starts on first use, exits when idle, and does not keep the process alive. */

import { Worker } from "node:worker_threads";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { CompiledTokenizer } from "./compiledModel.ts";

export interface EncodeQuestion {
  readonly question: number;
  readonly text: string;
}

export interface EncodeAnswer {
  readonly question: number;
  readonly ids: Int32Array<ArrayBuffer>;
}

interface Waiting {
  readonly resolve: (ids: readonly number[]) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread exits after being idle this long, because a server outlives its tokenizers. */
const IDLE_MS = 60_000;

export class EncodeThread {
  readonly #workerPath: string;
  readonly #tokenizer: CompiledTokenizer;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #asked = 0;
  #idle: NodeJS.Timeout | undefined;

  /** `workerPath`: the bundled `encodeWorker.ts`. */
  constructor(workerPath: string, tokenizer: CompiledTokenizer, idleMs = IDLE_MS) {
    this.#workerPath = workerPath;
    this.#tokenizer = tokenizer;
    this.#idleMs = idleMs;
  }

  /** @throws AppError `tokenizer-thread` if the thread fails; the next call starts a new one */
  encode(text: string): Promise<readonly number[]> {
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    worker.ref();
    clearTimeout(this.#idle);
    this.#asked += 1;
    const question: EncodeQuestion = { question: this.#asked, text };
    return new Promise((resolve, reject) => {
      this.#waiting.set(question.question, { resolve, reject });
      worker.postMessage(question);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#workerPath, { workerData: this.#tokenizer });
    worker.on("message", ({ question, ids }: EncodeAnswer) => {
      this.#waiting.get(question)?.resolve(Array.from(ids));
      this.#waiting.delete(question);
      if (this.#waiting.size > 0) return;
      worker.unref();
      this.#idle = setTimeout(() => this.#end(worker), this.#idleMs).unref();
    });
    worker.once("error", (error) => this.#fail(worker, errorMessage(error)));
    worker.once("exit", (code) => this.#fail(worker, `it ended with code ${code}`));
    return worker;
  }

  #end(worker: Worker): void {
    this.#worker = null;
    void worker.terminate();
  }

  #fail(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const error = new AppError("tokenizer-thread", `A text could not be encoded: ${reason}.`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
