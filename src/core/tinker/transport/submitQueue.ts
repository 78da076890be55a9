/** Keeps one model's requests in order: numbered from 1 and posted strictly one after another. */

import type { AppError } from "../../errors.ts";
import { errorMessage, isAppError } from "../../errors.ts";
import { tinkerError, withoutNextStep } from "./errors.ts";

type Post<Result> = (firstSeqId: number) => Promise<Result>;

/** A request that cannot be posted leaves a gap that no later request can pass: `docs/protocols/tinker.md#order-of-requests`. */
export class SubmitQueue {
  readonly #modelId: string;
  #nextSeqId = 1;
  /** Numbers that the server turned out to have counted for rejected requests. */
  #skipped = 0;
  /** Numbers of rejected requests that the server may or may not have counted. */
  #uncounted = 0;
  #tail: Promise<void> = Promise.resolve();
  #loss: AppError | null = null;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  /**
   * Reserves `count` numbers immediately, and calls `post` with the first once all earlier posts are done. With `mayBeRefused`, a
   * rejection leaves the model usable; nothing else may be queued meanwhile.
   * @throws whatever `post` throws; AppError `tinker-model-lost` after an earlier post failed
   */
  enqueue<Result>(
    what: string,
    count: number,
    post: Post<Result>,
    { mayBeRefused = false } = {},
  ): Promise<Result> {
    const firstSeqId = this.#nextSeqId;
    this.#nextSeqId += count;
    const give = mayBeRefused ? () => this.#giveBack(firstSeqId, count) : null;
    const posted = this.#tail.then(() => this.#post(what, firstSeqId, post, give));
    this.#tail = posted.then(
      () => undefined,
      () => undefined,
    );
    return posted;
  }

  async #post<Result>(
    what: string,
    firstSeqId: number,
    post: Post<Result>,
    giveBack: (() => void) | null,
  ): Promise<Result> {
    if (this.#loss !== null) throw this.#loss;
    try {
      return await this.#postAtFreeNumber(firstSeqId, post);
    } catch (cause) {
      if (giveBack !== null && isRefusal(cause)) {
        giveBack();
        throw cause;
      }
      this.#loss = tinkerError(
        "tinker-model-lost",
        `Model ${this.#modelId} accepts no more requests, because its request ${firstSeqId} (${what}) was not accepted: ${withoutNextStep({ message: errorMessage(cause) })}`,
        { cause, data: { modelId: this.#modelId, seqId: firstSeqId } },
      );
      throw cause;
    }
  }

  /**
   * Some servers count a rejected request's number, others wait for it to be reused. So the number is tried again, and skipped if
   * the server answers that it is taken.
   */
  async #postAtFreeNumber<Result>(firstSeqId: number, post: Post<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await post(firstSeqId + this.#skipped);
        this.#uncounted = 0;
        return result;
      } catch (error) {
        if (this.#uncounted === 0 || !isAppError(error, "tinker-conflict")) throw error;
        this.#uncounted -= 1;
        this.#skipped += 1;
      }
    }
  }

  #giveBack(firstSeqId: number, count: number): void {
    this.#nextSeqId = firstSeqId;
    this.#uncounted += count;
  }
}

function isRefusal(cause: unknown): boolean {
  return isAppError(cause, "tinker-bad-request", "tinker-not-found", "tinker-conflict");
}
