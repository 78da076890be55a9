/** Owns the joining of abort signals and time limits for work that must end with any of them. */

import type { Clock } from "../ports.ts";
import { stopTimer } from "../util/abort.ts";

export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the sources; call it when the work is over. */
  release(): void;
}

/** A signal that is aborted with the first of `sources`, with its reason, or by `abort`. */
export function linkSignals(sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const listeners = sources.flatMap((source) =>
    source ? [{ source, onAbort: () => controller.abort(source.reason) }] : [],
  );
  for (const { source, onAbort } of listeners) {
    if (source.aborted) onAbort();
    source.addEventListener("abort", onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => {
      for (const { source, onAbort } of listeners) source.removeEventListener("abort", onAbort);
    },
  };
}

export interface Limit {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What the work's signal is aborted with when the time is over. */
  readonly onLimit: () => Error;
}

/** Runs `work` with a signal that is aborted at the limit or by the caller. */
export async function withLimit<T>(
  limit: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const link = linkSignals([limit.signal]);
  const timer = new AbortController();
  const timeUp = limit.clock.sleep(limit.limitMs, timer.signal).then(
    () => link.abort(limit.onLimit()),
    () => undefined,
  );
  try {
    return await work(link.signal);
  } finally {
    stopTimer(timer);
    link.release();
    await timeUp;
  }
}
