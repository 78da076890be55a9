/** What a configuration's lenses and hints show about its newest run. */

import type { RunEntry } from "../../api/runs.ts";
import type { NewestRun } from "../../core/config/editing/display/lenses.ts";
import { isOfConfig } from "../../node/runFolder.ts";

export interface ConfigRun {
  readonly status: NewestRun;
  /** Null if there is no run. */
  readonly folder: string | null;
}

/** The newest run that was started from the configuration at `path`. */
export function newestRun(runs: readonly RunEntry[], path: string): ConfigRun {
  const run = runs.find((each) => isOfConfig(each, path));
  if (run === undefined) return { status: { kind: "none" }, folder: null };
  return { status: statusOf(run), folder: run.folder };
}

function statusOf({ isLive, phase, steps, totalSteps, reward }: RunEntry): NewestRun {
  if (!isLive) return { kind: "ended", outcome: phase, reward };
  return { kind: "running", completed: steps, steps: totalSteps, reward };
}
