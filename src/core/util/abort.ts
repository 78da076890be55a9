/** Time limits as abort signals on the clock port. */

import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** True once the limit (and not the parent) ended it. */
  readonly isExpired: () => boolean;
  /** Stops the timer. */
  clear(): void;
}

/** A signal that follows `parent` and aborts with AppError `timeout` after `limitMs` (null = no limit of its own). */
export function deadline(
  clock: Clock,
  limitMs: number | null,
  what: string,
  parent?: AbortSignal,
): Deadline {
  const own = new AbortController();
  const timer = new AbortController();
  let expired = false;
  const follow = (): void => own.abort(parent?.reason);
  if (parent?.aborted === true) follow();
  else parent?.addEventListener("abort", follow, { once: true });
  if (limitMs !== null) {
    clock.sleep(limitMs, timer.signal).then(
      () => {
        expired = true;
        own.abort(new AppError("timeout", `${what} took longer than ${limitMs / 1000} s.`));
      },
      () => undefined,
    );
  }
  return {
    signal: own.signal,
    isExpired: () => expired,
    clear: () => {
      timer.abort();
      parent?.removeEventListener("abort", follow);
    },
  };
}

/** Runs `action` under a limit; rejects with AppError `timeout` when it does not end in time. */
export async function withLimit<T>(
  clock: Clock,
  limitMs: number | null,
  what: string,
  parent: AbortSignal | undefined,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = deadline(clock, limitMs, what, parent);
  try {
    return await action(limit.signal);
  } catch (error) {
    if (limit.isExpired()) throw limit.signal.reason;
    throw error;
  } finally {
    limit.clear();
  }
}
