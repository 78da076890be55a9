/** Notifications one at a time: the next one is shown after an answer, or when the editor has put the one before away unanswered. */

import type { Clock } from "../core/ports.ts";

/** A notification stays in sight for no longer than this, unless the editor counts it as an urgent one. */
const IN_SIGHT_MS = 15_000;

export interface NoticeQueueParts {
  readonly clock: Pick<Clock, "after">;
  readonly onError: (error: unknown) => void;
}

export class NoticeQueue {
  readonly #parts: NoticeQueueParts;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: NoticeQueueParts) {
    this.#parts = parts;
  }

  /** `tell` shows a notification and acts on its answer, which may come late or never. */
  add(tell: () => Promise<void>): void {
    this.#last = this.#last.then(() => this.#inSight(tell));
  }

  #inSight(tell: () => Promise<void>): Promise<void> {
    const { clock, onError } = this.#parts;
    return new Promise((resolve) => {
      const stopWaiting = clock.after(IN_SIGHT_MS, resolve);
      tell()
        .catch(onError)
        .finally(() => {
          stopWaiting();
          resolve();
        });
    });
  }
}
