/** Notifications one at a time: the next one is shown after an answer, or when the editor has put the one before away unanswered. */

import type { Clock } from "../../core/ports.ts";

/** A notification stays in sight for no longer than this, unless the editor counts it as an urgent one. */
const IN_SIGHT_MS = 15_000;

export interface NoticeQueueOptions {
  readonly clock: Pick<Clock, "after">;
  readonly onError: (error: unknown) => void;
}

export class NoticeQueue {
  readonly #options: NoticeQueueOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: NoticeQueueOptions) {
    this.#options = options;
  }

  /** `report` shows a notification and acts on its answer, which may come late or never. */
  add(report: () => Promise<void>): void {
    this.#last = this.#last.then(() => this.#inSight(report));
  }

  #inSight(report: () => Promise<void>): Promise<void> {
    const { clock, onError } = this.#options;
    return new Promise((resolve) => {
      const stopWaiting = clock.after(IN_SIGHT_MS, resolve);
      report()
        .catch(onError)
        .finally(() => {
          stopWaiting();
          resolve();
        });
    });
  }
}
