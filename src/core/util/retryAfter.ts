/** How long a server asks its client to wait. */

import type { HttpResponse } from "../ports.ts";

/** Every form of HTTP date starts with the day. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)/i;
const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * The delay in `retry-after-ms`, else in `Retry-After` as seconds (fractions allowed) or HTTP date (RFC 9110, section 10.2.3); in
 * milliseconds, at most `maxMs`. Null if absent, unreadable, zero or past, so that the caller's own backoff applies.
 */
export function retryAfterMs(
  response: Pick<HttpResponse, "header">,
  { nowMs, maxMs }: { readonly nowMs: number; readonly maxMs: number },
): number | null {
  const milliseconds = response.header("retry-after-ms")?.trim() ?? "";
  const value = response.header("retry-after")?.trim() ?? "";
  const askedMs = DECIMAL.test(milliseconds) ? Number(milliseconds) : millisecondsOf(value, nowMs);
  return askedMs > 0 ? Math.min(askedMs, maxMs) : null;
}

/** NaN if the value is neither. */
function millisecondsOf(value: string, nowMs: number): number {
  if (DECIMAL.test(value)) return Number(value) * 1000;
  return HTTP_DATE.test(value) ? Date.parse(value) - nowMs : Number.NaN;
}
