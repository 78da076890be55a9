/** Shows notifications one at a time: the next follows an answer, or after the editor has hidden the previous one. */

import type { Clock } from "../../core/ports.ts";

/** Maximum time that the editor shows a notification, unless it counts as urgent. */
const IN_SIGHT_MS = 15_000;

export interface NoticeQueueOptions {
  readonly clock: Pick<Clock, "after">;
  readonly onError: (error: unknown) => void;
}

export type NoticeQueue = ReturnType<typeof noticeQueue>;

export function noticeQueue({ clock, onError }: NoticeQueueOptions) {
  const inSight = (report: () => Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const stopWaiting = clock.after(IN_SIGHT_MS, resolve);
      report()
        .catch(onError)
        .finally(() => {
          stopWaiting();
          resolve();
        });
    });
  let last = Promise.resolve();
  return {
    /** `report` shows a notification and handles its answer, which may come late or never. */
    add: (report: () => Promise<void>): void => {
      last = last.then(() => inSight(report));
    },
  };
}
