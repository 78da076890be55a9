/** How long a server asks its client to wait. */

import type { HttpResponse } from "../ports.ts";

/** Every form of an HTTP date names its day first. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)/i;
const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * `Retry-After` as seconds, fractions allowed, or as an HTTP date (RFC 9110, section 10.2.3), or before it `retry-after-ms`; in
 * milliseconds, at most `maxMs`. Null when absent, unreadable, zero or past: then the caller's own back-off holds.
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

/** NaN for what is neither. */
function millisecondsOf(value: string, nowMs: number): number {
  if (DECIMAL.test(value)) return Number(value) * 1000;
  return HTTP_DATE.test(value) ? Date.parse(value) - nowMs : Number.NaN;
}
