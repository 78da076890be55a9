/** Futures of asynchronous operations: one per request id, polled until its result is available. */

import { AppError } from "../../../../core/errors.ts";
import type { JsonObject } from "../../../../core/json.ts";
import type { Clock, Log } from "../../../../core/ports.ts";
import { refusal } from "../../../http/refusal.ts";
import { type Failure, toFailure } from "../http/faults.ts";

export type OperationResult =
  | { readonly kind: "json"; readonly body: JsonObject }
  | {
      readonly kind: "tensors";
      /** Approximate size, for limiting kept results. */
      readonly sizeBytes: number;
      toProtobuf(): Uint8Array;
      toJson(): JsonObject;
    }
  | ({ readonly kind: "failed" } & Failure);

export interface FuturesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: FutureLimits;
}

export interface FutureLimits {
  /** How long an unfinished poll is held open. */
  readonly holdMs: number;
  /** How long a result is kept after it was first retrieved. */
  readonly keepRetrievedMs: number;
  readonly maxFinished: number;
  readonly maxFinishedBytes: number;
}

/** The official client times out a poll after 45 s. */
const DEFAULT_LIMITS: FutureLimits = {
  holdMs: 30_000,
  keepRetrievedMs: 10 * 60_000,
  maxFinished: 20_000,
  maxFinishedBytes: 512 * 2 ** 20,
};
/** Number of dropped ids that are still distinguished from unknown ones. */
const MAX_DROPPED = 50_000;
const SMALL_RESULT_BYTES = 1024;

interface Future {
  readonly bodyHash: string;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  result: OperationResult | null;
}

export class Futures {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: FutureLimits;
  readonly #futures = new Map<string, Future>();
  /** Sizes of finished results, in order of completion. */
  readonly #finished = new Map<string, number>();
  #finishedBytes = 0;
  /** Times of first retrieval, oldest first. */
  readonly #retrieved = new Map<string, number>();
  readonly #dropped = new Set<string>();

  constructor({ clock, log, limits = DEFAULT_LIMITS }: FuturesOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#limits = limits;
  }

  /**
   * Starts an operation under `id`; does nothing if the same body was submitted before or the result was dropped.
   * A synchronous error of `start` is rethrown and leaves no future.
   * @throws AppError `http-refused` 409 for a different body under an id whose result is kept
   */
  submit(
    id: string,
    bodyHash: string,
    start: (signal: AbortSignal) => Promise<OperationResult>,
  ): void {
    const known = this.#futures.get(id);
    if (known?.bodyHash === bodyHash || this.#dropped.has(id)) return;
    if (known !== undefined) {
      throw refusal(409, `The request ${id} was submitted before with another body.`);
    }
    const abort = new AbortController();
    const done = start(abort.signal).then(
      (result) => this.#finish(id, result),
      (error: unknown) => this.#finish(id, this.#failed(id, error)),
    );
    this.#futures.set(id, { bodyHash, abort, done, result: null });
  }

  /**
   * The result of `id`, or null if it did not arrive within the hold time.
   * @throws AppError `http-refused` 404 for an unknown id, 410 for a dropped one
   */
  async poll(id: string, signal: AbortSignal): Promise<OperationResult | null> {
    const future = this.#futures.get(id);
    if (future === undefined) {
      throw this.#dropped.has(id)
        ? refusal(410, `The result of ${id} is no longer kept; submit the request again.`)
        : refusal(404, `There is no request ${id}.`);
    }
    if (future.result === null) await this.#hold(future, signal);
    if (future.result === null) return null;
    if (!this.#retrieved.has(id)) this.#retrieved.set(id, this.#clock.monotonic());
    return future.result;
  }

  /** Aborts the operation, whose result then says so. Ignores unknown and finished ids. */
  cancel(id: string): void {
    this.#futures
      .get(id)
      ?.abort.abort(new AppError("canceled", `The request ${id} was canceled by its client.`));
  }

  async #hold(future: Future, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const pause = this.#clock
      .sleep(this.#limits.holdMs, AbortSignal.any([signal, over.signal]))
      .catch(() => undefined); // woken early: the result has arrived, or the client is gone
    await Promise.race([future.done, pause]);
    over.abort();
  }

  #failed(id: string, error: unknown): OperationResult {
    const failure = toFailure(error);
    if (failure.category === "server") {
      this.#log.error("operation failed", {
        request_id: id,
        error: error instanceof Error ? error.stack : failure.error,
      });
    }
    return { kind: "failed", ...failure };
  }

  #finish(id: string, result: OperationResult): void {
    const future = this.#futures.get(id);
    if (future === undefined) return;
    future.result = result;
    const sizeBytes = result.kind === "tensors" ? result.sizeBytes : SMALL_RESULT_BYTES;
    this.#finished.set(id, sizeBytes);
    this.#finishedBytes += sizeBytes;
    this.#prune();
  }

  #prune(): void {
    const cutoff = this.#clock.monotonic() - this.#limits.keepRetrievedMs;
    for (const [id, atMs] of this.#retrieved) {
      if (atMs > cutoff) break;
      this.#drop(id);
    }
    for (const id of this.#finished.keys()) {
      if (
        this.#finished.size <= this.#limits.maxFinished &&
        this.#finishedBytes <= this.#limits.maxFinishedBytes
      ) {
        break;
      }
      this.#drop(id);
    }
    for (const id of this.#dropped) {
      if (this.#dropped.size <= MAX_DROPPED) break;
      this.#dropped.delete(id);
    }
  }

  #drop(id: string): void {
    this.#dropped.add(id);
    this.#finishedBytes -= this.#finished.get(id) ?? 0;
    this.#finished.delete(id);
    this.#retrieved.delete(id);
    this.#futures.delete(id);
  }
}
