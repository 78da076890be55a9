/** Prices of tokens. */

import * as z from "zod";
import {
  addTokens,
  countTokens,
  type RunUsage,
  TOKEN_KINDS,
  type TokenKind,
  type TokenUsage,
} from "./tokenUsage.ts";

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

/** Total usage of a run, including evaluations. */
export interface UsedTotal {
  /** Sum over all kinds. */
  readonly tokens: number;
  /** Null if no prices are known. */
  readonly costUsd: number | null;
}

/** Parts of a total. */
export type CountedUsage = Pick<RunUsage, "cumulative" | "evaluation">;

export function usedTotal(
  { cumulative, evaluation }: CountedUsage,
  prices: Prices | null,
): UsedTotal {
  const used = addTokens(cumulative, evaluation);
  return { tokens: countTokens(used), costUsd: prices === null ? null : costOf(used, prices) };
}
