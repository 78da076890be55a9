/** The tokens of a run as a row of its metrics has them. */

import * as z from "zod";
import {
  NO_TOKENS,
  type RunUsage,
  runUsageSchema,
  tokenUsageSchema,
} from "../../usage/tokenUsage.ts";
import type { MetricsRow } from "./metricsTree.ts";

/** Totals in rows of earlier versions. */
const earlierTotals = z.object({
  sampled_total: z.number(),
  prefill_total: z.number(),
  trained_total: z.number(),
});

/** Null for a row without totals. */
export function usageOfRow({ tokens }: MetricsRow): RunUsage | null {
  const usage = runUsageSchema.safeParse(tokens).data;
  if (usage !== undefined) return usage;
  const totals = earlierTotals.safeParse(tokens).data;
  if (totals === undefined) return null;
  const {
    sampled_total: sampled,
    prefill_total: prefill_uncached,
    trained_total: trained,
  } = totals;
  const cumulative = tokenUsageSchema.safeParse({
    ...NO_TOKENS,
    sampled,
    prefill_uncached,
    trained,
  });
  if (cumulative.data === undefined) return null;
  return { cumulative: cumulative.data, discarded: NO_TOKENS, evaluation: NO_TOKENS };
}
