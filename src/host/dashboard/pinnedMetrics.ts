/** The metrics that the user added to the dashboard; kept with the workspace. */

import * as z from "zod";
import type { Memento } from "../runs/runLabels.ts";

const KEY = "dashboard.pinnedMetrics";
const namesSchema = z.array(z.string()).readonly().catch([]);

export function readPinnedMetrics(workspaceState: Memento): readonly string[] {
  return namesSchema.parse(workspaceState.get(KEY));
}

export async function keepPinnedMetrics(
  workspaceState: Memento,
  names: readonly string[],
): Promise<void> {
  await workspaceState.update(KEY, names);
}
