/** Work that many things ask for in a short time, done once for all of them. */

export interface Soon {
  (): void;
  /** What was asked for is not done any more. */
  dispose(): void;
}

/** Does `work` `ms` milliseconds after the first call since it was done last. */
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
