/** The tokens of a run as a row of its metrics has them. */

import { type RunUsage, runUsageSchema } from "../../usage/tokenUsage.ts";
import type { MetricsRow } from "./metricsTree.ts";

/** Null for a row without totals. */
export function usageOfRow({ tokens }: MetricsRow): RunUsage | null {
  return runUsageSchema.safeParse(tokens).data ?? null;
}
