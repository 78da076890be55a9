/** How many requests an endpoint accepts. */

import type { AppError } from "../errors.ts";
import { endpointRefusal } from "./refusal.ts";

/** Maximum number of requests answered concurrently. */
export const MAX_REQUESTS = 64;
/** Maximum number of requests waiting. */
export const MAX_WAITING = 512;

/** For a request beyond both limits. */
export function tooManyRequests(): AppError {
  return endpointRefusal(
    `${MAX_REQUESTS + MAX_WAITING} requests are in progress. Send fewer at a time.`,
    { status: 429, code: "too_many_requests" },
  );
}
