/** Compares secrets of this server with what a client sent. */

import { createHash, timingSafeEqual } from "node:crypto";

/** Takes the same time for every wrong value of any length. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
