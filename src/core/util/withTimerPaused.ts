/** Time in which a service lets a caller wait instead of working for it. */

/** Runs `action` while the caller's own clock stands still. */
export type WithTimerPaused = <Result>(action: () => Promise<Result>) => Promise<Result>;

/** For callers without a clock of their own. */
export const withoutTimer: WithTimerPaused = (action) => action();
