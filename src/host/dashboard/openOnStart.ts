/** Opens the dashboard automatically for runs that the user just started here; other runs are offered in an open dashboard. */

import type { Listening } from "../../core/util/emitter.ts";
import type { Trainings } from "../runs/trainings.ts";
import { readSetting } from "../vscode/settings.ts";
import type { RunDashboard } from "./runDashboard.ts";

/** Opens or offers each run once per start, as soon as it has a folder. */
export function openOnStart(
  trainings: Pick<Trainings, "active" | "onDidChange">,
  dashboard: Pick<RunDashboard, "openBeside" | "offer">,
): Listening {
  let known: ReadonlySet<string | null> = new Set();
  return trainings.onDidChange(() => {
    const before = known;
    known = new Set(trainings.active.map(({ folder }) => folder));
    for (const { folder, isStartedByHand } of trainings.active) {
      if (folder === null || before.has(folder)) continue;
      if (!isStartedByHand) dashboard.offer(folder);
      else if (readSetting("dashboard.openOnStart") !== "never") dashboard.openBeside(folder);
    }
  });
}
