/** Coalesces many requests for the same work into one. */

export interface Soon {
  (): void;
  /** Cancels pending work. */
  dispose(): void;
}

/** Runs `work` once, `ms` milliseconds after the first call since the last run. */
export function soon(ms: number, work: () => void): Soon {
  let timer: NodeJS.Timeout | null = null;
  const ask = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      work();
    }, ms);
  };
  const dispose = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  return Object.assign(ask, { dispose });
}
