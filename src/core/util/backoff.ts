/** Exponential backoff with jitter: how long to wait before the next try. */

import type { Random } from "../ports.ts";

export interface Doubling {
  /** Wait before the first retry. */
  readonly firstMs: number;
  /** Longest wait before any later retry. */
  readonly maxMs: number;
}

export interface Backoff extends Doubling {
  /** Largest share of a wait that is randomly removed, so that clients that failed together do not retry together; 1 = "full jitter". */
  readonly jitter: number;
}

/** Doubles with each retry; `repeats` is the number of earlier retries. */
export function doubledMs({ firstMs, maxMs }: Doubling, repeats: number): number {
  return Math.min(firstMs * 2 ** repeats, maxMs);
}

/**
 * Like {@link doubledMs}, minus a random share: between `1 - jitter` times that value and the full value. See "Exponential
 * Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function backoffMs(backoff: Backoff, repeats: number, random: Random): number {
  return doubledMs(backoff, repeats) * (1 - backoff.jitter * random.uniform());
}
