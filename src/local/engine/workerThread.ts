/** The main thread's handle of a compute thread: sends jobs, receives replies, and restarts the thread if it dies. */

import { Worker } from "node:worker_threads";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { EngineSampleRequest, PromptScoreRequest, PromptScores } from "./engine.ts";
import type {
  FromWorker,
  FrozenAdapter,
  ToWorker,
  TrainWeights,
  WorkerSetup,
} from "./workerMessages.ts";

type Answer<K extends FromWorker["kind"]> = Extract<FromWorker, { kind: K }>;
type Placement = Pick<Extract<ToWorker, { kind: "sample" }>, "set" | "slot" | "cached">;
type TrainJob = Omit<Extract<ToWorker, { kind: "train" }>, "kind" | "job" | "weights">;

/** Parameters with their version. */
export type KnownWeights = TrainWeights & { readonly parameters: Float32Array };

interface Pending {
  readonly resolve: (answer: FromWorker) => void;
  readonly reject: (error: unknown) => void;
}

export class WorkerThread {
  readonly #path: string;
  readonly #setup: WorkerSetup;
  readonly #onRestart: () => void;
  readonly #jobs = new Map<number, Pending>();
  #worker: Worker;
  #nextJob = 1;
  #version = -1;
  #closed = false;
  /** Why the thread cannot be started; it is not retried then. */
  #failure: AppError | null = null;
  #ready: Promise<void>;

  /** `onRestart` is called after a crash, which loses everything the thread had in memory. */
  constructor(path: string, setup: WorkerSetup, onRestart: () => void) {
    this.#path = path;
    this.#setup = setup;
    this.#onRestart = onRestart;
    [this.#worker, this.#ready] = this.#spawn();
  }

  /** Resolves once the thread has loaded its weights. @throws AppError `engine-worker` */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Number of unanswered jobs. */
  get load(): number {
    return this.#jobs.size;
  }

  #spawn(): [Worker, Promise<void>] {
    const worker = new Worker(this.#path, { workerData: this.#setup });
    this.#version = -1;
    let isReady = false;
    const ready = new Promise<void>((resolve, reject) => {
      let cause: unknown;
      worker.on("message", (answer: FromWorker) => {
        if (answer.kind !== "ready") return this.#settle(answer);
        isReady = true;
        resolve();
      });
      worker.on("error", (error) => {
        cause = error;
      });
      worker.on("exit", () => {
        if (!isReady) {
          this.#failure = cannotStart(cause);
          reject(this.#failure);
        }
        if (worker === this.#worker) this.#died();
      });
    });
    // Whoever awaits `ready()` sees the failure; later crashes are reported through the jobs they interrupt.
    ready.catch(() => undefined);
    return [worker, ready];
  }

  #died(): void {
    const lost = Array.from(this.#jobs.values());
    this.#jobs.clear();
    for (const job of lost) job.reject(this.#failure ?? crashed());
    if (this.#closed || this.#failure !== null) return;
    [this.#worker, this.#ready] = this.#spawn();
    this.#onRestart();
  }

  #settle(answer: Exclude<FromWorker, { kind: "ready" }>): void {
    const job = this.#jobs.get(answer.job);
    if (job === undefined) return;
    this.#jobs.delete(answer.job);
    if (answer.kind === "failed") {
      job.reject(new AppError("engine-failed", `The embedded engine failed: ${answer.message}`));
    } else {
      job.resolve(answer);
    }
  }

  #ask<K extends "trained" | "sampled" | "scored">(
    message: (job: number) => ToWorker,
    signal?: AbortSignal,
  ): Promise<Answer<K>> {
    const job = this.#nextJob++;
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      const abort = (): void => {
        this.#jobs.delete(job);
        this.#worker.postMessage({ kind: "cancel", job } satisfies ToWorker);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      const release = (): void => signal?.removeEventListener("abort", abort);
      this.#jobs.set(job, {
        resolve: (answer) => {
          release();
          resolve(answer as Answer<K>); // each kind of request has one kind of reply
        },
        reject: (error) => {
          release();
          reject(error);
        },
      });
      this.#worker.postMessage(message(job));
    });
  }

  /** Trains on a micro-batch. The parameters are sent only if the thread last had another version. */
  train(job: TrainJob, weights: KnownWeights): Promise<Answer<"trained">> {
    const known = this.#version === weights.version;
    this.#version = weights.version;
    const sent = known ? { ...weights, parameters: null } : weights;
    return this.#ask<"trained">((id) => ({ ...job, kind: "train", job: id, weights: sent }));
  }

  /** Fills a sampler weight set; takes effect before any later sample. */
  loadSet(set: number, adapter: FrozenAdapter | null): void {
    this.#worker.postMessage({ kind: "load", set, adapter } satisfies ToWorker);
  }

  sample(
    place: Placement,
    request: EngineSampleRequest,
    signal?: AbortSignal,
  ): Promise<Answer<"sampled">> {
    return this.#ask<"sampled">((job) => ({ kind: "sample", job, ...place, request }), signal);
  }

  async score(set: number, slot: number, request: PromptScoreRequest): Promise<PromptScores> {
    const answer = await this.#ask<"scored">((job) => ({ kind: "score", job, set, slot, request }));
    return answer.scores;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.terminate();
  }
}

function crashed(): AppError {
  return new AppError(
    "engine-worker",
    "A compute thread of the embedded engine stopped. It restarts; the request in progress failed.",
  );
}

function cannotStart(cause: unknown): AppError {
  return new AppError(
    "engine-worker",
    `A compute thread of the embedded engine cannot start: ${errorMessage(cause)}`,
    { cause },
  );
}
