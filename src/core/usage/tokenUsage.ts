/** Tokens by billing category, in the four kinds that tinker-cookbook counts. */

import * as z from "zod";

const count = z.number().int().nonnegative();

export const tokenUsageSchema = z
  .object({
    /** Tokens that the model sampled. */
    sampled: count,
    /** Prompt tokens that were in the service's cache. */
    prefill_cached: count,
    /** Other prompt tokens, and tokens of forward passes that train nothing. */
    prefill_uncached: count,
    /** Tokens of training data. */
    trained: count,
  })
  .readonly();

export type TokenUsage = z.infer<typeof tokenUsageSchema>;
export type TokenKind = keyof TokenUsage;

export const TOKEN_KINDS = ["sampled", "prefill_cached", "prefill_uncached", "trained"] as const;

export const NO_TOKENS: TokenUsage = {
  sampled: 0,
  prefill_cached: 0,
  prefill_uncached: 0,
  trained: 0,
};

/** A run's tokens so far. */
export const runUsageSchema = z
  .object({
    /** All tokens except those of evaluations. */
    cumulative: tokenUsageSchema,
    /** Wasted tokens, also in `cumulative`: rollouts that were not trained on, repeated turns, steps repeated by a resume. */
    discarded: tokenUsageSchema,
    evaluation: tokenUsageSchema,
  })
  .readonly();

export type RunUsage = z.infer<typeof runUsageSchema>;

export const NO_RUN_USAGE: RunUsage = {
  cumulative: NO_TOKENS,
  discarded: NO_TOKENS,
  evaluation: NO_TOKENS,
};

export function addTokens(a: TokenUsage, b: Partial<TokenUsage>): TokenUsage {
  return mapKinds((kind) => a[kind] + (b[kind] ?? 0));
}

/** `usage` minus `part`; never below 0. */
export function subtractTokens(usage: TokenUsage, part: TokenUsage): TokenUsage {
  return mapKinds((kind) => Math.max(0, usage[kind] - part[kind]));
}

/** Sum over all kinds. */
export function countTokens(usage: TokenUsage): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + usage[kind], 0);
}

function mapKinds(ofKind: (kind: TokenKind) => number): Readonly<Record<TokenKind, number>> {
  return {
    sampled: ofKind("sampled"),
    prefill_cached: ofKind("prefill_cached"),
    prefill_uncached: ofKind("prefill_uncached"),
    trained: ofKind("trained"),
  };
}
