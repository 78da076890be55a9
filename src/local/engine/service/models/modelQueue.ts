/** Runs a model's operations one after another, ordered by sequence number. */

import type { AppError } from "../../../../core/errors.ts";
import { refusal } from "../../../http/refusal.ts";

interface Waiting {
  run(): Promise<void>;
  fail(reason: AppError): void;
}

const SKIPPED: Waiting = { run: () => Promise.resolve(), fail: () => undefined };

/**
 * Model creation has number 0, and requests count from 1 (`docs/protocols/tinker.md#order-of-requests`). A number that arrives
 * early waits for the previous ones, since parallel chunks may arrive as 2, 3, …, 1.
 */
export class ModelQueue {
  #next = 0;
  readonly #waiting = new Map<number, Waiting>();
  #isDraining = false;
  #drained: Promise<void> = Promise.resolve();
  #closed: AppError | null = null;

  /**
   * Resolves or rejects like `task` once its turn has come; rejects with the reason of `close` if it never comes.
   * @throws AppError `http-refused` 409 immediately for a number already in use, or the reason of `close`
   */
  enqueue<T>(seqId: number, task: () => Promise<T>): Promise<T> {
    if (this.#closed !== null) throw this.#closed;
    if (this.#isTaken(seqId))
      throw refusal(409, `The seq_id ${seqId} was already used or skipped.`);
    return new Promise<T>((resolve, reject) => {
      const run = async (): Promise<void> => {
        try {
          resolve(await task());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.set(seqId, { run, fail: reject });
      this.#start();
    });
  }

  /** Marks the number of a refused request as done, so that later requests do not wait for it. */
  skip(seqId: number): void {
    if (this.#isTaken(seqId)) return;
    this.#waiting.set(seqId, SKIPPED);
    this.#start();
  }

  /** Accepts nothing new, finishes everything that can run, and fails requests waiting for a missing number. */
  async close(reason: AppError): Promise<void> {
    this.#closed ??= reason;
    await this.#drained;
    for (const waiting of this.#waiting.values()) waiting.fail(this.#closed);
    this.#waiting.clear();
  }

  #isTaken(seqId: number): boolean {
    return seqId < this.#next || this.#waiting.has(seqId);
  }

  #start(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#drained = this.#drain();
  }

  async #drain(): Promise<void> {
    // Tasks start only after their submission has been answered.
    await Promise.resolve();
    for (let waiting = this.#take(); waiting !== undefined; waiting = this.#take()) {
      await waiting.run();
    }
    this.#isDraining = false;
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting.get(this.#next);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(this.#next);
    this.#next += 1;
    return waiting;
  }
}
