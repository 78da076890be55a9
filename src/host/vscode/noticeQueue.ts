/** Shows notifications one at a time: the next follows an answer, or after the editor has hidden the previous one. */

import type { Clock } from "../../core/ports.ts";

/** Maximum time that the editor shows a notification, unless it counts as urgent. */
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

  /** `report` shows a notification and handles its answer, which may come late or never. */
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
