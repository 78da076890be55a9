/** The order of one model's requests: numbers from 1, posted strictly one after the other. */

import type { AppError } from "../errors.ts";
import { errorMessage, isAppError } from "../errors.ts";
import { tinkerError } from "./errors.ts";

/** Tinker wire, section 7.1. A request that cannot be posted leaves a gap that no later request passes. */
export class SubmitQueue {
  readonly #modelId: string;
  #nextSeqId = 1;
  #tail: Promise<void> = Promise.resolve();
  #loss: AppError | null = null;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  /**
   * Reserves `count` numbers at once and calls `post` with the first when all earlier posts are through.
   * With `mayBeRefused` a refusal leaves the model usable; nothing else may wait for its turn meanwhile.
   * @throws what `post` throws; AppError `tinker-model-lost` after an earlier post failed
   */
  enqueue<Result>(
    what: string,
    count: number,
    post: (firstSeqId: number) => Promise<Result>,
    { mayBeRefused = false } = {},
  ): Promise<Result> {
    const firstSeqId = this.#nextSeqId;
    this.#nextSeqId += count;
    const posted = this.#tail.then(() => this.#post(what, firstSeqId, post, mayBeRefused));
    this.#tail = posted.then(
      () => undefined,
      () => undefined,
    );
    return posted;
  }

  async #post<Result>(
    what: string,
    firstSeqId: number,
    post: (firstSeqId: number) => Promise<Result>,
    mayBeRefused: boolean,
  ): Promise<Result> {
    if (this.#loss !== null) throw this.#loss;
    try {
      return await post(firstSeqId);
    } catch (cause) {
      if (mayBeRefused && isRefusal(cause)) {
        // What is refused has used up its number (Tinker wire, section 7.1), unless nobody was there to read it.
        if (isAppError(cause, "tinker-not-found")) this.#nextSeqId = firstSeqId;
        throw cause;
      }
      this.#loss = tinkerError(
        "tinker-model-lost",
        `Model ${this.#modelId} takes no more requests, because its request ${firstSeqId} (${what}) was not accepted: ${errorMessage(cause)}`,
        { cause, data: { modelId: this.#modelId, seqId: firstSeqId } },
      );
      throw cause;
    }
  }
}

function isRefusal(cause: unknown): boolean {
  return isAppError(cause, "tinker-bad-request", "tinker-not-found", "tinker-conflict");
}
