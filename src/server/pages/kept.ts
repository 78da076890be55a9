/** Reads the user's page layout and settings; unreadable parts count as not set. */

import * as z from "zod";
import type { Kept } from "../../api/pages.ts";
import { savedFiltersSchema } from "../dashboard/pageMessages.ts";

export const keptSchema: z.ZodType<Kept> = z.object({
  pinnedMetrics: z.array(z.string()).readonly().catch([]),
  hiddenCharts: z.array(z.string()).readonly().catch([]),
  savedFilters: savedFiltersSchema.catch([]),
  isDemoCardClosed: z.boolean().catch(false),
  layout: z.string().nullable().catch(null),
});
