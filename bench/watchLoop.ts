/** Measures the longest time for which an action holds up the event loop. */

interface Watched<Result> {
  readonly result: Result;
  readonly wallMs: number;
  /** Between two turns of the loop. Other work on the machine makes it longer. */
  readonly longestMs: number;
}

export async function watchLoop<Result>(action: () => Promise<Result>): Promise<Watched<Result>> {
  let longestMs = 0;
  let lastMs = performance.now();
  let isWatching = true;
  const turn = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (isWatching) setTimeout(turn);
  };
  turn();
  const startedMs = performance.now();
  const result = await action();
  const wallMs = performance.now() - startedMs;
  isWatching = false;
  turn();
  return { result, wallMs, longestMs };
}
