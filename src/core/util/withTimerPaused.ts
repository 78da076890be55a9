/** Pauses a caller's timer while a service makes the caller wait. */

/** Runs `action` while the caller's timer is paused. */
export type WithTimerPaused = <Result>(action: () => Promise<Result>) => Promise<Result>;

/** For callers without a timer. */
export const withoutTimer: WithTimerPaused = (action) => action();
