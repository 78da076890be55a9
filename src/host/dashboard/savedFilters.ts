/** Filters of rollouts that the user gave names; kept with the workspace. */

import { savedFiltersSchema } from "../../server/dashboard/pageMessages.ts";
import type { SavedFilter } from "../../shared/dashboardTypes.ts";
import type { Memento } from "../runs/runLabels.ts";

const KEY = "dashboard.savedFilters";
export function readSavedFilters(workspaceState: Memento): readonly SavedFilter[] {
  return savedFiltersSchema.safeParse(workspaceState.get(KEY)).data ?? [];
}

export async function keepSavedFilters(
  workspaceState: Memento,
  filters: readonly SavedFilter[],
): Promise<void> {
  await workspaceState.update(KEY, filters);
}
