/** What a list of runs sends pages of one of them. */

import type { KnownRun } from "../../api/pages.ts";
import type { RunEntry, RunStore } from "./runStore.ts";

/** Without what its trainer is reached by. */
export function knownRun(
  store: Pick<RunStore, "opened">,
  { folder, name, phase, file, status, ...row }: RunEntry,
  isArchived: boolean,
): KnownRun {
  const { startedAtMs, steps, totalSteps, reward, used } = row;
  const count = status?.evaluated ?? null;
  return {
    folder,
    name,
    phase,
    startedAtMs,
    steps,
    totalSteps,
    reward,
    used,
    isArchived,
    file:
      file === null
        ? null
        : {
            runId: file.runId,
            generation: file.generation,
            attempt: file.attempt,
            sweep: file.sweep && {
              id: file.sweep.id,
              name: file.sweep.name,
              settings: file.sweep.settings,
            },
          },
    evaluated: count === null ? null : { done: count.done, total: count.total },
    isReadOnly: store.opened.includes(folder),
  };
}
