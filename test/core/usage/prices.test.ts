import { expect, it } from "vitest";
import { costOf, usedTotal } from "../../../src/core/usage/prices.ts";
import { NO_RUN_USAGE } from "../../../src/core/usage/tokenUsage.ts";

const PRICES = { sampled: 4, prefill_cached: 0.5, prefill_uncached: 2, trained: 8 };
const TOKENS = { sampled: 1e6, prefill_cached: 4e6, prefill_uncached: 2e6, trained: 5e5 };

it("the cost is the sum over the four kinds of tokens, each with its price per million tokens", () => {
  expect(costOf(TOKENS, PRICES)).toBe(4 + 2 + 4 + 4);
});

it("usage includes steps and evaluations, and the cost is unknown without prices", () => {
  const evaluation = { ...TOKENS, trained: 0 };
  const usage = { ...NO_RUN_USAGE, cumulative: TOKENS, discarded: TOKENS, evaluation };
  expect(usedTotal(usage, PRICES)).toEqual({ tokens: 14.5e6, costUsd: 24 });
  expect(usedTotal(usage, null)).toEqual({ tokens: 14.5e6, costUsd: null });
});
