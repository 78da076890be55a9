/** Opens the dashboard automatically for runs that the user just started here; other runs are offered in an open dashboard. */

import type { Trainings } from "../runs/trainings.ts";
import type { RunDashboard } from "./runDashboard.ts";

export interface OpenOnStartOptions {
  readonly trainings: Pick<Trainings, "active" | "onDidChange">;
  readonly dashboard: Pick<RunDashboard, "openBeside" | "offer">;
  /** False if the setting says to open only on request. */
  readonly opens: () => boolean;
}

/** Opens or offers each run once, as soon as it has a folder. */
export function openOnStart({ trainings, dashboard, opens }: OpenOnStartOptions): {
  dispose(): void;
} {
  const known = new Set<string>();
  return trainings.onDidChange(() => {
    for (const { folder, isStartedByHand } of trainings.active) {
      if (folder === null || known.has(folder)) continue;
      known.add(folder);
      if (!isStartedByHand) dashboard.offer(folder);
      else if (opens()) dashboard.openBeside(folder);
    }
  });
}
