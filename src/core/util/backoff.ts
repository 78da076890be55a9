/** Exponential back-off with jitter: how long to wait before the next try. */

import type { Random } from "../ports.ts";

export interface Doubling {
  /** Before the first repeat. */
  readonly firstMs: number;
  /** Before any later one at most. */
  readonly maxMs: number;
}

export interface Backoff extends Doubling {
  /** The largest share of a wait that chance takes away, so that those who failed together do not return together; 1 = "full jitter". */
  readonly jitter: number;
}

/** Doubles with every repeat; `repeats` are those that went before. */
export function doubledMs({ firstMs, maxMs }: Doubling, repeats: number): number {
  return Math.min(firstMs * 2 ** repeats, maxMs);
}

/**
 * As {@link doubledMs}, less a random share. Between `1 - jitter` times that and all of it.
 * See "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function backoffMs(backoff: Backoff, repeats: number, random: Random): number {
  return doubledMs(backoff, repeats) * (1 - backoff.jitter * random.uniform());
}
