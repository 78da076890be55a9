/** How long requests to environments are retried: back-off, the server's Retry-After, and waits for a starting environment. */

import type { Clock, HttpResponse } from "../ports.ts";
import type { Backoff } from "../util/backoff.ts";

/** Maximum time to retry after "still starting" replies; hosted environments can take ten minutes. */
const MAX_STARTING_MS = 30 * 60_000;
const STARTING_WAIT_MS = 2_000;
const MIN_STARTING_WAIT_MS = 500;
const MAX_STARTING_WAIT_MS = 10_000;
/** Uses full jitter. */
export const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 8_000, jitter: 1 };
const MAX_WAIT_MS = 60_000;
/** A full environment may ask for a longer wait than a single request allows. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** The wait that the server asks for, at most a minute; null if it asks for none. */
export function waitAsked(retryAfterMs: number | null): number | null {
  return retryAfterMs === null ? null : Math.min(retryAfterMs, MAX_WAIT_MS);
}

/** Returns the wait before the next request to a starting environment; null after 30 minutes. */
export function createStartingWait(
  clock: Pick<Clock, "monotonic">,
): (retryAfterMs: number | null) => number | null {
  let sinceMs: number | null = null;
  return (retryAfterMs) => {
    const nowMs = clock.monotonic();
    sinceMs ??= nowMs;
    if (nowMs - sinceMs >= MAX_STARTING_MS) return null;
    const waitMs = Math.max(retryAfterMs ?? STARTING_WAIT_MS, MIN_STARTING_WAIT_MS);
    return Math.min(waitMs, MAX_STARTING_WAIT_MS);
  };
}

/** True for a 503 reply that guarantees that nothing ran because the environment is still starting. */
export function isStarting(response: Pick<HttpResponse, "status" | "header">): boolean {
  return (
    response.status === 503 && response.header("x-backend-state")?.toLowerCase() === "starting"
  );
}
