/** Filters of rollouts that the user gave names; kept with the workspace. */

import * as z from "zod";
import type { SavedFilter } from "../../shared/dashboardTypes.ts";
import type { Memento } from "../runs/runLabels.ts";

const KEY = "dashboard.savedFilters";
const MAX_FILTERS = 100;

export const savedFiltersSchema = z
  .array(
    z.strictObject({ name: z.string().min(1).max(80), filter: z.string().max(4_000) }).readonly(),
  )
  .max(MAX_FILTERS)
  .readonly();

export function readSavedFilters(workspaceState: Memento): readonly SavedFilter[] {
  return savedFiltersSchema.safeParse(workspaceState.get(KEY)).data ?? [];
}

export async function keepSavedFilters(
  workspaceState: Memento,
  filters: readonly SavedFilter[],
): Promise<void> {
  await workspaceState.update(KEY, filters);
}
