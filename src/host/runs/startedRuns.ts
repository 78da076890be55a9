/**
 * Adds runs started by this window to the known ones, even from folders that it does not search, because changes are reported only for
 * known runs.
 */

import type { Listening } from "../../core/util/emitter.ts";
import type { RunFinder } from "./runFinder.ts";
import type { RunLabels } from "./runLabels.ts";
import type { RunList } from "./runList.ts";
import type { Trainings } from "./trainings.ts";

export interface StartedRunsOptions {
  readonly trainings: Pick<Trainings, "active" | "onDidChange">;
  readonly store: Pick<RunList, "refresh" | "get">;
  readonly labels: Pick<RunLabels, "addOpened">;
  /** Searches everything again, including folders recorded in labels. */
  readonly finder: Pick<RunFinder, "find">;
  readonly onError: (error: unknown) => void;
}

/**
 * Rereads the list of runs whenever a training starts, gets its folder or ends. A trainer assumes that a window that does not attach to its
 * run has been closed.
 */
export function rememberStartedRuns(options: StartedRunsOptions): Listening {
  const { trainings, onError } = options;
  return trainings.onDidChange(() => {
    const started = trainings.active.flatMap(({ folder }) => (folder === null ? [] : [folder]));
    look(started, options).catch(onError);
  });
}

async function look(started: readonly string[], options: StartedRunsOptions): Promise<void> {
  const { store, labels, finder } = options;
  await store.refresh();
  const isKnown = (folder: string): boolean => store.get(folder) !== null;
  if (started.every(isKnown)) return;
  // Its parent folder may be new.
  await finder.find();
  const elsewhere = started.filter((folder) => !isKnown(folder));
  for (const folder of elsewhere) await labels.addOpened(folder);
  if (elsewhere.length > 0) await finder.find();
}
