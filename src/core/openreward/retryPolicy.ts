/** Owns how long a request is repeated: back-off, what the server asks for, and the wait for a starting environment. */

import type { Clock, HttpResponse, Random } from "../ports.ts";
import { type Backoff, backoffMs } from "../util/backoff.ts";
import { type WithTimerPaused, withoutTimer } from "../util/withTimerPaused.ts";

/** Longest time for which a request is repeated after "still starting" answers; hosted environments can take ten minutes. */
const MAX_STARTING_MS = 30 * 60_000;
const STARTING_WAIT_MS = 2_000;
const MIN_STARTING_WAIT_MS = 500;
const MAX_STARTING_WAIT_MS = 10_000;
/** With full jitter. */
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 8_000, jitter: 1 };
const MAX_WAIT_MS = 60_000;
/** An environment that is full may name a longer wait than a single request waits for. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

export interface RetryPolicy {
  /** Backs off, or waits as long as the server asked; false when the attempts are used up. */
  afterFailure(retryAfterMs: number | null, signal: AbortSignal | undefined): Promise<boolean>;
  /** Waits without using up an attempt; false after 30 minutes of starting. */
  whileStarting(retryAfterMs: number | null, signal: AbortSignal | undefined): Promise<boolean>;
  /** Gives all attempts back, after progress. */
  restore(): void;
}

export function createRetryPolicy(dependencies: {
  readonly clock: Clock;
  readonly random: Random;
  /** Requests in all, the first included. */
  readonly maxAttempts: number;
  /** Runs the waits for a starting environment. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
}): RetryPolicy {
  const { clock, random, maxAttempts, withTimerPaused = withoutTimer } = dependencies;
  let failures = 0;
  let startingSinceMs: number | null = null;
  return {
    async afterFailure(retryAfterMs, signal) {
      failures += 1;
      if (failures >= maxAttempts) return false;
      const waitMs = retryAfterMs ?? backoffMs(BACKOFF, failures - 1, random);
      await clock.sleep(Math.min(waitMs, MAX_WAIT_MS), signal);
      return true;
    },
    async whileStarting(retryAfterMs, signal) {
      startingSinceMs ??= clock.monotonic();
      if (clock.monotonic() - startingSinceMs >= MAX_STARTING_MS) return false;
      const waitMs = Math.max(retryAfterMs ?? STARTING_WAIT_MS, MIN_STARTING_WAIT_MS);
      await withTimerPaused(() => clock.sleep(Math.min(waitMs, MAX_STARTING_WAIT_MS), signal));
      return true;
    },
    restore() {
      failures = 0;
    },
  };
}

/** True for a 503 that promises that nothing ran, because the environment is still starting. */
export function isStarting(response: Pick<HttpResponse, "status" | "header">): boolean {
  return (
    response.status === 503 && response.header("x-backend-state")?.toLowerCase() === "starting"
  );
}
