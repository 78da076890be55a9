/** The user's page settings, stored with the workspace. */

import { type Kept, keptSchema } from "../../api/pages.ts";
import type { Memento } from "../vscode/memento.ts";

const KEYS: Readonly<Record<keyof Kept, string>> = {
  pinnedMetrics: "dashboard.pinnedMetrics",
  hiddenCharts: "dashboard.hiddenCharts",
  savedFilters: "dashboard.savedFilters",
  isDemoCardClosed: "dashboard.isDemoCardClosed",
  layout: "runsTable.layout",
};
const NAMES = Object.keys(KEYS) as (keyof Kept)[]; // the type of the keys is that of the record

export function readKept(workspaceState: Memento): Kept {
  return keptSchema.parse(
    Object.fromEntries(NAMES.map((name) => [name, workspaceState.get(KEYS[name])])),
  );
}

export async function keep(workspaceState: Memento, change: Partial<Kept>): Promise<void> {
  for (const name of NAMES) {
    if (change[name] !== undefined) await workspaceState.update(KEYS[name], change[name]);
  }
}
