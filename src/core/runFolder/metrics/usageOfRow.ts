/** The run's token totals as of a metrics row. */

import { type RunUsage, runUsageSchema } from "../../usage/tokenUsage.ts";
import type { MetricsRow } from "./metricsTree.ts";

/** Null if the row has no totals. */
export function usageOfRow({ tokens }: MetricsRow): RunUsage | null {
  return runUsageSchema.safeParse(tokens).data ?? null;
}
