/** What tokens cost. */

import * as z from "zod";
import { TOKEN_KINDS, type TokenKind, type TokenUsage } from "./tokenUsage.ts";

const price = z.number().nonnegative();

export const pricesSchema = z
  .object({
    sampled: price,
    prefill_cached: price,
    prefill_uncached: price,
    trained: price,
  })
  .readonly();

/** USD per million tokens of each kind. */
export type Prices = Readonly<Record<TokenKind, number>>;

/** In USD. */
export function costOf(usage: TokenUsage, prices: Prices): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + usage[kind] * prices[kind], 0) / 1e6;
}
