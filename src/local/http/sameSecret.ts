/** Compares this server's secrets with a client's. */

import { createHash, timingSafeEqual } from "node:crypto";

/** Constant-time for wrong values of any length. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
